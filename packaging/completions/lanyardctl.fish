# It takes what lanyard takes.
complete --command lanyardctl --wraps lanyard
