// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Decides whether a store answers. Thread-safe. */
public final class StoreSwitch {

    private volatile boolean isAway;

    public void goAway() {
        isAway = true;
    }

    public void comeBack() {
        isAway = false;
    }

    /** The store with all that it can do, while it answers. */
    MessageStore before(MemoryMessageStore store) {
        return (MessageStore) Proxy.newProxyInstance(
                StoreSwitch.class.getClassLoader(),
                MemoryMessageStore.class.getInterfaces(),
                (proxy, method, arguments) -> answer(store, method, arguments));
    }

    private @Nullable Object answer(MemoryMessageStore store, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (isAway && method.getDeclaringClass() != Object.class) {
            throw new StoreUnavailableException("the store is away", null, null);
        }
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
