// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Lets a bean inject an object of the engine even if the engine depends on that bean, as it does on a middleware. The engine is looked up
 * on the first call, at the latest when all beans exist, because a closing context no longer hands it out. Thread-safe.
 */
final class Deferred implements SmartInitializingSingleton {

    private final SingletonSupplier<SafeBunnyEngine> engine;

    Deferred(ObjectProvider<SafeBunnyEngine> engine) {
        this.engine = SingletonSupplier.of(engine::getObject);
    }

    @Override
    public void afterSingletonsInstantiated() {
        engine.obtain();
    }

    /** @param type an interface; native images know its proxy from {@code aot.StarterHints} */
    <T> T bean(Class<T> type, Function<SafeBunnyEngine, T> offered) {
        SingletonSupplier<T> target = SingletonSupplier.of(() -> offered.apply(engine.obtain()));
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (ReflectionUtils.isObjectMethod(method)) { // may be called before there is an engine
                        return switch (method.getName()) {
                            case "equals" -> proxy == arguments[0];
                            case "hashCode" -> System.identityHashCode(proxy);
                            default -> type.getSimpleName() + " of this node";
                        };
                    }
                    try {
                        return method.invoke(target.obtain(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }
}
