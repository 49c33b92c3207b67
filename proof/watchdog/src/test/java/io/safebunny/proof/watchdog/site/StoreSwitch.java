// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Decides whether a store answers, and when. Thread-safe. */
public final class StoreSwitch {

    private volatile boolean isAway;
    private volatile CountDownLatch looks = new CountDownLatch(0);

    public void goAway() {
        isAway = true;
    }

    public void comeBack() {
        isAway = false;
    }

    /** Who looks for a record waits from now on. */
    public void hesitate() {
        looks = new CountDownLatch(1);
    }

    public void goOn() {
        looks.countDown();
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
        if (method.getName().equals("find")) {
            looks.await();
        }
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
