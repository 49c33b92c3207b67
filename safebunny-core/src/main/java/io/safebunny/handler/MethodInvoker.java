// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.function.Supplier;

/** A method handle with one small resolver function per argument, all prepared once. */
final class MethodInvoker implements HandlerInvoker {

    /** Provides one argument of a call. */
    @FunctionalInterface
    interface Argument {
        Object resolve(Object payload, MessageContext context);
    }

    private final Supplier<Object> bean;
    private final Argument[] arguments;
    private final MethodHandle handle;

    MethodInvoker(Supplier<Object> bean, Method method, Argument[] arguments) {
        this.bean = bean;
        this.arguments = arguments;
        this.handle = generic(method);
    }

    /** A handle of type {@code (Object bean, Object[] arguments)void}. */
    private static MethodHandle generic(Method method) {
        try {
            method.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflect(method)
                    .asFixedArity()
                    .asType(MethodType.genericMethodType(method.getParameterCount() + 1)
                            .changeReturnType(void.class))
                    .asSpreader(1, Object[].class, method.getParameterCount());
        } catch (IllegalAccessException | InaccessibleObjectException | SecurityException e) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler method cannot be called [handler=%s]: Java does not permit it (%s)."
                            .formatted(method, e.getMessage()),
                    "Open its package to reflection, in module-info.java or with --add-opens, or make class and method public.",
                    e);
        }
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        Object[] values = new Object[arguments.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].resolve(payload, context);
        }
        try {
            handle.invokeExact(bean.get(), values);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "A handler threw neither an Exception nor an Error [type=%s]. Let it throw an Exception."
                            .formatted(e.getClass().getName()),
                    e);
        }
    }
}
