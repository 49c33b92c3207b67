// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.scanning.UnscannedHandlers;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ObjectUtils;

/**
 * Refuses handlers in parents and children of the node's application context, where they would never be called. A refreshed child
 * notifies the listeners of its parents, and fails with what they throw.
 */
final class OtherContexts implements ApplicationListener<ContextRefreshedEvent> {

    private final ConfigurableApplicationContext context;

    OtherContexts(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** @throws ConfigurationException SB-1114 when the context that was refreshed is a child with handlers, and without a node */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() != context) {
            requireNone(event.getApplicationContext());
        }
    }

    /** @throws ConfigurationException SB-1114 when a parent has handlers, and no node */
    void requireNoneInParents() {
        for (ApplicationContext parent = context.getParent(); parent != null; parent = parent.getParent()) {
            requireNone(parent);
        }
    }

    private static void requireNone(ApplicationContext other) {
        if (other instanceof ConfigurableApplicationContext configurable && !hasNode(other)) {
            UnscannedHandlers.requireNone(
                    configurable.getBeanFactory(), other.getId() + ", " + ObjectUtils.identityToString(other));
        }
    }

    /** Whether the context itself has one: an engine in a parent does not count. */
    private static boolean hasNode(ApplicationContext other) {
        return other.getBeanNamesForType(SafeBunnyEngine.class, true, false).length > 0;
    }
}
