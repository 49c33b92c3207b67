// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.ConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A source of handlers in addition to annotated methods. Each bean of this type is called once, when the node starts; queues are
 * declared and consumed for the handlers it returns.
 */
@FunctionalInterface
public interface HandlerSource {

    /** @throws ConfigurationException SB-11xx when a handler cannot work; the application does not start then */
    List<HandlerDefinition> handlers();

    /**
     * The handlers of all these sources, in order.
     *
     * @throws ConfigurationException SB-1102 when two handlers take the same message type
     */
    static List<HandlerDefinition> all(List<? extends HandlerSource> sources) {
        List<HandlerDefinition> all = new ArrayList<>();
        sources.forEach(source -> all.addAll(source.handlers()));
        requireOnePerType(all);
        return List.copyOf(all);
    }

    private static void requireOnePerType(List<HandlerDefinition> handlers) {
        Map<String, HandlerDefinition> byType = new LinkedHashMap<>();
        for (HandlerDefinition handler : handlers) {
            HandlerDefinition other = byType.putIfAbsent(handler.type(), handler);
            if (other != null) {
                throw new ConfigurationException(
                        "SB-1102",
                        "Two handlers for one message type [type=%s]: %s from %s and %s from %s. A node has one queue per type, whoever publishes it, so there must be only one handler."
                                .formatted(
                                        handler.type(),
                                        other.description(),
                                        other.from(),
                                        handler.description(),
                                        handler.from()),
                        other.from().equals(handler.from())
                                ? "Remove one of them, or give one of the payload classes another name with @BunnyMessage."
                                : "Remove one of them, or merge them into one @BunnyHandler(from = {…}) that names all those nodes and takes a MessageContext, and choose by context.from(). Prefetch, retries and pauses belong to the queue, so they would be shared anyway.");
            }
        }
    }
}
