// -*- C++ -*-
/*
 * Shared states of <future>, which includes this: the value or the exception, and what the runtime
 * knows of it.
 */
#pragma clang system_header

// ---- shared states ----

namespace __raceproof {

/// What the runtime knows of a shared state (`abi/futures.rs` has the same).
struct __shared {
  unsigned __handle;
  unsigned __owners;
  /// Who sets it, and has taken its future.
  unsigned char __marks[8];
  unsigned long long __tasks[2];
  /// Destroys the state; runs its deferred function, if it has one.
  void (*__destroy)(__shared *);
  void (*__run)(__shared *);
};

extern "C" {
void *__raceproof_future_room(std::size_t __size);
void __raceproof_future_reclaim(void *__room);
/// `__frees`: 1 if destroying it only gives back memory, 0 if not while there is a value, 2 if never, 3 if
/// not before it is set.
void __raceproof_future_create(__shared *__state, int __frees);
void __raceproof_future_share(__shared *__state);
void __raceproof_future_release(__shared *__state);
int __raceproof_future_retrieve(__shared *__state);
int __raceproof_future_claim(__shared *__state);
void __raceproof_future_unclaim(__shared *__state);
void __raceproof_future_refused(__shared *__state);
void __raceproof_future_set(__shared *__state);
void __raceproof_future_set_at_thread_exit(__shared *__state, int __owns);
void __raceproof_future_only_frees(__shared *__state, int __is_so);
void __raceproof_future_runs(__shared *__state);
void __raceproof_future_wait(__shared *__state);
int __raceproof_future_wait_for(__shared *__state, long long __nanoseconds);
}

[[noreturn]] _RACEPROOF_INLINE void __fail(std::future_errc __errc) {
#ifdef __cpp_exceptions
  throw std::future_error(__errc);
#else
  (void)__errc;
  std::terminate();
#endif
}

/// Whether destroying a value does nothing but give back memory that nobody else has, so that it
/// makes no difference which thread does it: values without a destructor, and what the standard
/// library has to hold such values, with its own allocator.
template <typename _Tp> struct __only_frees : std::is_trivially_destructible<_Tp> {};

template <bool...> struct __all_of;
template <typename... _Ts>
struct __only_free : std::is_same<__all_of<true, __only_frees<_Ts>::value...>, __all_of<__only_frees<_Ts>::value..., true>> {};

template <typename _Ch, typename _Tr> struct __only_frees<std::basic_string<_Ch, _Tr>> : std::true_type {};
template <typename _Tp, std::size_t _Np> struct __only_frees<std::array<_Tp, _Np>> : __only_frees<_Tp> {};
template <typename... _Ts> struct __only_frees<std::tuple<_Ts...>> : __only_free<_Ts...> {};
template <typename _Ap, typename _Bp> struct __only_frees<std::pair<_Ap, _Bp>> : __only_free<_Ap, _Bp> {};
template <typename _Tp> struct __only_frees<std::unique_ptr<_Tp>> : __only_frees<_Tp> {};
template <typename _Tp> struct __only_frees<std::unique_ptr<_Tp[]>> : __only_frees<_Tp> {};
template <typename _Tp> struct __only_frees<std::vector<_Tp>> : __only_frees<_Tp> {};
template <typename _Tp> struct __only_frees<std::deque<_Tp>> : __only_frees<_Tp> {};
template <typename _Tp> struct __only_frees<std::list<_Tp>> : __only_frees<_Tp> {};
template <typename _Tp> struct __only_frees<std::forward_list<_Tp>> : __only_frees<_Tp> {};
template <typename _Tp, typename _Less> struct __only_frees<std::set<_Tp, _Less>> : __only_free<_Tp, _Less> {};
template <typename _Tp, typename _Less> struct __only_frees<std::multiset<_Tp, _Less>> : __only_free<_Tp, _Less> {};
template <typename _Kp, typename _Tp, typename _Less>
struct __only_frees<std::map<_Kp, _Tp, _Less>> : __only_free<_Kp, _Tp, _Less> {};
template <typename _Kp, typename _Tp, typename _Less>
struct __only_frees<std::multimap<_Kp, _Tp, _Less>> : __only_free<_Kp, _Tp, _Less> {};
template <typename _Tp, typename _Hash, typename _Eq>
struct __only_frees<std::unordered_set<_Tp, _Hash, _Eq>> : __only_free<_Tp, _Hash, _Eq> {};
template <typename _Tp, typename _Hash, typename _Eq>
struct __only_frees<std::unordered_multiset<_Tp, _Hash, _Eq>> : __only_free<_Tp, _Hash, _Eq> {};
template <typename _Kp, typename _Tp, typename _Hash, typename _Eq>
struct __only_frees<std::unordered_map<_Kp, _Tp, _Hash, _Eq>> : __only_free<_Kp, _Tp, _Hash, _Eq> {};
template <typename _Kp, typename _Tp, typename _Hash, typename _Eq>
struct __only_frees<std::unordered_multimap<_Kp, _Tp, _Hash, _Eq>> : __only_free<_Kp, _Tp, _Hash, _Eq> {};
#if __cplusplus >= 201703L
template <typename _Tp> struct __only_frees<std::optional<_Tp>> : __only_frees<_Tp> {};
template <typename... _Ts> struct __only_frees<std::variant<_Ts...>> : __only_free<_Ts...> {};
#endif

/// How a value is kept, and what setters take.
template <typename _Rp> struct __stored { typedef _Rp type; };
template <typename _Rp> struct __stored<_Rp &> { typedef _Rp *type; };
template <> struct __stored<void> { typedef char type; };

template <typename _Rp> struct __state : __shared {
  typedef typename __stored<_Rp>::type _Value;

  std::exception_ptr __error;
  bool __has_value;
  alignas(_Value) unsigned char __room[sizeof(_Value)];

  _RACEPROOF_INLINE __state() : __has_value(false) { __run = nullptr; }
  _RACEPROOF_INLINE ~__state() { __drop(); }

  _RACEPROOF_INLINE _Value &__value() { return *reinterpret_cast<_Value *>(__room); }

  template <typename... _Args> _RACEPROOF_INLINE void __emplace(_Args &&...__args) {
    ::new (static_cast<void *>(__room)) _Value(std::forward<_Args>(__args)...);
    __has_value = true;
  }

  /// Nobody can reach the value any more.
  _RACEPROOF_INLINE void __drop() {
    if (!std::is_trivially_destructible<_Value>::value && __has_value) {
      __has_value = false;
      __value().~_Value();
    }
  }

  _RACEPROOF_INLINE void __fails(std::exception_ptr &&__e) {
    __error = std::move(__e);
    __raceproof_future_only_frees(this, 0);
  }

  /// Waits; throws what was set if that is an exception.
  _RACEPROOF_INLINE _Value &__get() {
    __raceproof_future_wait(this);
    if (__error)
      std::rethrow_exception(__error);
    return __value();
  }

  /// The same for the only one who can ask: nothing is left to destroy for who owns the state last.
  _RACEPROOF_INLINE _Value &__get_once() {
    __raceproof_future_wait(this);
    if (__error) {
      std::exception_ptr __own(std::move(__error));
      __error = nullptr;
      __raceproof_future_only_frees(this, 1);
      std::rethrow_exception(std::move(__own));
    }
    return __value();
  }
};

/// A state in memory of the runtime.
template <typename _State> void __destroy_own(__shared *__shared_state) {
  _State *__own = static_cast<_State *>(__shared_state);
  __own->~_State();
  __raceproof_future_reclaim(__own);
}

template <typename _Rp> _RACEPROOF_INLINE __state<_Rp> *__make() {
  typedef __state<_Rp> _State;
  static_assert(alignof(_State) <= 16, "raceproof's <future> aligns values to 16 bytes at most");
  _State *__made = ::new (__raceproof_future_room(sizeof(_State))) _State();
  __made->__destroy = __destroy_own<_State>;
  __raceproof_future_create(__made, __only_frees<typename _State::_Value>::value);
  return __made;
}

/// A state in memory of an allocator of the program's, which frees it.
template <typename _Rp, typename _Alloc> struct __allocated : __state<_Rp> {
  typedef typename std::allocator_traits<_Alloc>::template rebind_alloc<__allocated> _Own;
  _Own __alloc;
  explicit __allocated(const _Own &__a) : __alloc(__a) {}
};

template <typename _Allocated> void __destroy_allocated(__shared *__shared_state) {
  _Allocated *__own = static_cast<_Allocated *>(__shared_state);
  typename _Allocated::_Own __alloc(__own->__alloc);
  __own->~_Allocated();
  typedef std::allocator_traits<typename _Allocated::_Own> _Traits;
  _Traits::deallocate(__alloc, std::pointer_traits<typename _Traits::pointer>::pointer_to(*__own), 1);
}

template <typename _Rp, typename _Alloc> _RACEPROOF_INLINE __state<_Rp> *__make_by(const _Alloc &__a) {
  typedef __allocated<_Rp, _Alloc> _Allocated;
  typename _Allocated::_Own __own(__a);
  auto __memory = std::allocator_traits<typename _Allocated::_Own>::allocate(__own, 1);
  _Allocated *__made = ::new (static_cast<void *>(std::addressof(*__memory))) _Allocated(__own);
  __made->__destroy = __destroy_allocated<_Allocated>;
  __raceproof_future_create(__made, 2);
  return __made;
}

template <typename _Rp, typename _Tp>
_RACEPROOF_INLINE __state<_Rp> *__make_by(const std::allocator<_Tp> &) {
  return __make<_Rp>();
}

/// A claim of a setter, given up if the value cannot be made.
struct __claim {
  __shared *__state;
  _RACEPROOF_INLINE explicit __claim(__shared *__s) : __state(__s) {
    if (!__s)
      __fail(std::future_errc::no_state);
    if (!__raceproof_future_claim(__s)) {
      __state = nullptr;
      __raceproof_future_refused(__s);
      __fail(std::future_errc::promise_already_satisfied);
    }
  }
  _RACEPROOF_INLINE ~__claim() {
    if (__state)
      __raceproof_future_unclaim(__state);
  }
  _RACEPROOF_INLINE void __set(bool __at_thread_exit) {
    __shared *__own = __state;
    __state = nullptr;
    if (__at_thread_exit)
      __raceproof_future_set_at_thread_exit(__own, 1);
    else
      __raceproof_future_set(__own);
  }
};

template <typename _Rp, typename... _Args>
_RACEPROOF_INLINE void __set_value(__state<_Rp> *__s, bool __at_thread_exit, _Args &&...__args) {
  __claim __own(__s);
  __s->__emplace(std::forward<_Args>(__args)...);
  __own.__set(__at_thread_exit);
}

template <typename _Rp>
_RACEPROOF_INLINE void __set_error(__state<_Rp> *__s, bool __at_thread_exit, std::exception_ptr &&__e) {
  __claim __own(__s);
  __s->__fails(std::move(__e));
  __own.__set(__at_thread_exit);
}

/// The setter is gone.
template <typename _Rp> _RACEPROOF_INLINE void __abandon(__state<_Rp> *__s) {
  if (!__s)
    return;
  if (__s->__owners > 1 && __raceproof_future_claim(__s)) {
#ifdef __cpp_exceptions
    __s->__fails(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
#endif
    __raceproof_future_set(__s);
  }
  __raceproof_future_release(__s);
}

template <typename _Rp> struct __caller {
  template <typename _Fn, typename... _Args>
  _RACEPROOF_INLINE static void __store(__state<_Rp> *__s, _Fn &&__fn, _Args &&...__args) {
    __s->__emplace(std::__invoke(std::forward<_Fn>(__fn), std::forward<_Args>(__args)...));
  }
};
template <typename _Rp> struct __caller<_Rp &> {
  template <typename _Fn, typename... _Args>
  _RACEPROOF_INLINE static void __store(__state<_Rp &> *__s, _Fn &&__fn, _Args &&...__args) {
    _Rp &__result = std::__invoke(std::forward<_Fn>(__fn), std::forward<_Args>(__args)...);
    __s->__emplace(std::addressof(__result));
  }
};
template <> struct __caller<void> {
  template <typename _Fn, typename... _Args>
  _RACEPROOF_INLINE static void __store(__state<void> *, _Fn &&__fn, _Args &&...__args) {
    std::__invoke(std::forward<_Fn>(__fn), std::forward<_Args>(__args)...);
  }
};

/// Calls a function and keeps what it returns or throws.
template <typename _Rp, typename _Fn, typename... _Args>
_RACEPROOF_INLINE void __call(__state<_Rp> *__s, _Fn &&__fn, _Args &&...__args) {
#ifdef __cpp_exceptions
  try {
    __caller<_Rp>::__store(__s, std::forward<_Fn>(__fn), std::forward<_Args>(__args)...);
  }
#ifdef __GLIBCXX__
  catch (const __cxxabiv1::__forced_unwind &) {
    throw;
  }
#endif
  catch (...) {
    __s->__fails(std::current_exception());
  }
#else
  __caller<_Rp>::__store(__s, std::forward<_Fn>(__fn), std::forward<_Args>(__args)...);
#endif
}

template <typename _Fn, typename... _Args>
using __result = decltype(std::__invoke(std::declval<typename std::decay<_Fn>::type>(),
                                        std::declval<typename std::decay<_Args>::type>()...));

/// Makes futures of states.
struct __futures {
  template <typename _Future, typename _State> _RACEPROOF_INLINE static _Future __of(_State *__s) {
    return _Future(__s);
  }
};

} // namespace __raceproof
