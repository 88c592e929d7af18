//! Renderers: findings in, text out.
