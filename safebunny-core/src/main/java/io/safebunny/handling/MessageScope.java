// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.BunnyScope;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.middleware.Next;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;

/**
 * The bean scope {@code bunny}: one set of beans per message, bound to the thread that runs its pipeline. Nested pipelines (a
 * publication in a handler) share it. Thread-safe.
 */
public final class MessageScope implements Scope {

    private static final Logger LOG = LoggerFactory.getLogger(MessageScope.class);

    @SuppressWarnings("ThreadLocalUsage") // one per application context: two nodes in one JVM must not share beans
    private final ThreadLocal<@Nullable Beans> current = new ThreadLocal<>();

    /** Runs the action inside the current message's scope, or inside a new one that ends with it. */
    public void run(Next action) throws Exception {
        if (current.get() != null) {
            action.run();
        } else {
            runAnew(action);
        }
    }

    /** Runs the action, which handles a message, inside a new scope that ends with it, and then restores the previous scope. */
    public void runAnew(Next action) throws Exception {
        boolean unused = callAnew(() -> {
            action.run();
            return true;
        });
    }

    /** As {@link #runAnew}, for an action with a result. */
    public <T> T callAnew(Callable<T> action) throws Exception {
        Beans beans = new Beans();
        try {
            return callIn(beans, action);
        } finally {
            beans.destroy();
        }
    }

    /**
     * Runs a part of the handling of one message, and then restores the previous scope.
     *
     * @param beans the message's, to be destroyed after its last part
     */
    public <T> T callIn(Beans beans, Callable<T> action) throws Exception {
        Beans outer = current.get();
        current.set(beans);
        try {
            return action.call();
        } finally {
            restore(outer);
        }
    }

    private void restore(@Nullable Beans outer) {
        if (outer == null) {
            current.remove();
        } else {
            current.set(outer);
        }
    }

    @Override
    public Object get(String name, ObjectFactory<?> factory) {
        Beans beans = requireCurrent(name);
        Object bean = beans.instances.get(name);
        if (bean == null) {
            bean = factory.getObject();
            beans.add(name, bean);
        }
        return bean;
    }

    @Override
    public @Nullable Object remove(String name) {
        return requireCurrent(name).remove(name);
    }

    @Override
    public void registerDestructionCallback(String name, Runnable callback) {
        requireCurrent(name).whenOver(name, callback);
    }

    @Override
    public @Nullable Object resolveContextualObject(String key) {
        return null;
    }

    @Override
    public String getConversationId() {
        return BunnyScope.NAME;
    }

    private Beans requireCurrent(String name) {
        Beans beans = current.get();
        if (beans == null) {
            throw new IllegalStateException( // required by Spring's contract: it shows that the scope is not active
                    "SB-5003 Bean '%s' has scope 'bunny', and no message is being handled or published on this thread. Use it in a handler or a middleware."
                            .formatted(name));
        }
        return beans;
    }

    /** Of one message. Used by one thread. */
    public static final class Beans {
        // made when the first bean is: most messages have none
        private Map<String, Object> instances = Map.of();
        private Map<String, Runnable> destructions = Map.of();

        void add(String name, Object bean) {
            if (instances.isEmpty()) {
                instances = new LinkedHashMap<>();
            }
            instances.put(name, bean);
        }

        void whenOver(String name, Runnable callback) {
            if (destructions.isEmpty()) {
                destructions = new LinkedHashMap<>();
            }
            destructions.put(name, callback);
        }

        @Nullable
        Object remove(String name) {
            if (!destructions.isEmpty()) {
                destructions.remove(name);
            }
            return instances.isEmpty() ? null : instances.remove(name);
        }

        public void destroy() {
            destructions.forEach((name, callback) -> {
                try {
                    callback.run();
                } catch (Throwable e) {
                    // also errors: the message is handled, and the other beans must still be destroyed
                    LOG.warn(
                            "Destroying the bean '{}' of a finished message failed",
                            name,
                            ExceptionDetails.TYPE_ONLY.logged(e));
                }
            });
        }
    }
}
