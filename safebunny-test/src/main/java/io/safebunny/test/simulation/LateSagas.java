// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.saga.Sagas;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** The sagas of an engine that does not exist yet: handlers that use them are created before it. */
final class LateSagas {

    private LateSagas() {}

    static Sagas of(SafeBunnyEngine engine) {
        return (Sagas) Proxy.newProxyInstance(
                Sagas.class.getClassLoader(), new Class<?>[] {Sagas.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(engine.sagas(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
