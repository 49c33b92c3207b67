// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls a method through a handle prepared once. Thread-safe. */
final class MethodInvoker {

    private final Supplier<Object> bean;
    private final MethodHandle handle;

    /** @param bean ignored if the method is static */
    MethodInvoker(Supplier<Object> bean, Method method) {
        this.bean = bean;
        this.handle = generic(method);
    }

    /** Returns a handle of type {@code (Object bean, Object[] arguments)Object}. */
    private static MethodHandle generic(Method method) {
        try {
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method).asFixedArity();
            if (Modifier.isStatic(method.getModifiers())) {
                handle = MethodHandles.dropArguments(handle, 0, Object.class);
            }
            return handle.asType(MethodType.genericMethodType(method.getParameterCount() + 1))
                    .asSpreader(1, Object[].class, method.getParameterCount());
        } catch (IllegalAccessException | InaccessibleObjectException | SecurityException e) {
            throw new ConfigurationException(
                    "SB-1104",
                    "A handler method cannot be called [handler=%s]: it must be accessible, but Java denies access (%s)."
                            .formatted(method, e.getMessage()),
                    "Open its package to reflection, in module-info.java or with --add-opens, or make class and method public.",
                    e);
        }
    }

    /**
     * @return {@code null} if the method is {@code void}
     * @throws Exception the method's own exception, not wrapped
     */
    @Nullable
    Object invoke(@Nullable Object[] arguments) throws Exception {
        try {
            return (Object) handle.invokeExact(bean.get(), arguments);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "A handler threw neither an Exception nor an Error [type=%s]. It must throw one of these."
                            .formatted(e.getClass().getName()),
                    e);
        }
    }
}
