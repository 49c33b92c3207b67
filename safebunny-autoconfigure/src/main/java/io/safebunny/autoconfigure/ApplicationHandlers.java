// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.handler.scanning.UnscannedHandlers;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ObjectUtils;

/**
 * Finds the application's handlers and sagas. Refuses handlers that would never be called: those that no source finds, and those in parents
 * and children of the node's application context. A child context that is refreshed notifies its parents' listeners, such as this one, and
 * fails with what they throw.
 */
final class ApplicationHandlers implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(ApplicationHandlers.class);

    private final ConfigurableApplicationContext context;
    private final ObjectProvider<HandlerSource> sources;
    private final SagaScanner sagas;
    private final UnscannedHandlers unscanned;
    private final HandlerDefaults defaults;
    /** Found by the latest {@link #find}. */
    private List<HandlerDefinition> found = List.of();

    ApplicationHandlers(
            ConfigurableApplicationContext context,
            ObjectProvider<HandlerSource> sources,
            SagaScanner sagas,
            UnscannedHandlers unscanned,
            HandlerDefaults defaults) {
        this.context = context;
        this.sources = sources;
        this.sagas = sagas;
        this.unscanned = unscanned;
        this.defaults = defaults;
    }

    /** @throws ConfigurationException SB-11xx when a handler cannot work, SB-1114 when one would never be called */
    List<HandlerDefinition> find() {
        for (ApplicationContext parent = context.getParent(); parent != null; parent = parent.getParent()) {
            requireNone(parent);
        }
        List<HandlerDefinition> handlers =
                HandlerSource.all(sources.orderedStream().toList());
        unscanned.requireAllScanned(context.getBeanFactory());
        found = handlers;
        return handlers;
    }

    /**
     * Comes after {@link #find}.
     *
     * @throws ConfigurationException SB-11xx when a saga cannot work
     */
    List<SagaDefinition> findSagas() {
        List<SagaDefinition> definitions = sagas.sagas();
        Set<String> limited = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        limited.addAll(defaults.rates().keySet());
        found.forEach(handler -> limited.remove(handler.type()));
        definitions.forEach(saga -> saga.handlers().forEach(handler -> limited.remove(handler.type())));
        if (!limited.isEmpty()) { // files may be shared with other applications
            LOG.warn(
                    "No handler of this node takes what safebunny.listener.rates limits {}: these rates have no effect. Name the types of messages",
                    limited);
        }
        return definitions;
    }

    /** @throws ConfigurationException SB-1114 when the context that was refreshed is a child with handlers, and without a node */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() != context) {
            requireNone(event.getApplicationContext());
        }
    }

    private static void requireNone(ApplicationContext other) {
        if (other instanceof ConfigurableApplicationContext configurable && !hasNode(other)) {
            UnscannedHandlers.requireNone(
                    configurable.getBeanFactory(), other.getId() + ", " + ObjectUtils.identityToString(other));
        }
    }

    /** Whether the context itself has an engine; one in a parent does not count. */
    private static boolean hasNode(ApplicationContext other) {
        return other.getBeanNamesForType(SafeBunnyEngine.class, true, false).length > 0;
    }
}
