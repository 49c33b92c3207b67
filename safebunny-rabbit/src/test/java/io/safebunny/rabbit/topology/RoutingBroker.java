// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Takes declarations as a broker does, which refuses bindings of what is not there, and says to which queues a message would go. */
final class RoutingBroker implements Broker {

    private record Exchange(String type, Map<String, Object> arguments) {}

    private record Binding(String from, String to, boolean toQueue, String key, Map<String, Object> arguments) {}

    private final Map<String, Exchange> exchanges = new HashMap<>();
    private final Set<String> queues = new HashSet<>();
    private final List<Binding> bindings = new ArrayList<>();

    @Override
    public boolean exchange(String name, String type, Map<String, Object> arguments) throws IOException {
        Exchange wanted = new Exchange(type, Map.copyOf(arguments));
        Exchange present = exchanges.putIfAbsent(name, wanted);
        if (present != null && !present.equals(wanted)) {
            throw new IOException("PRECONDITION_FAILED - exchange '" + name + "' is " + present);
        }
        return true;
    }

    @Override
    public boolean queue(String name, Map<String, Object> arguments) {
        queues.add(name);
        return true;
    }

    @Override
    public void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments)
            throws IOException {
        require(queues.contains(queue) && exchanges.containsKey(exchange), exchange + " -> " + queue);
        bindings.add(new Binding(exchange, queue, true, routingKey, Map.copyOf(arguments)));
    }

    @Override
    public void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments)
            throws IOException {
        require(exchanges.containsKey(exchange) && exchanges.containsKey(from), from + " -> " + exchange);
        bindings.add(new Binding(from, exchange, false, routingKey, Map.copyOf(arguments)));
    }

    private static void require(boolean present, String binding) throws IOException {
        if (!present) {
            throw new IOException("NOT_FOUND - " + binding);
        }
    }

    boolean knows(String exchange) {
        return exchanges.containsKey(exchange);
    }

    String typeOf(String exchange) {
        return requireNonNull(exchanges.get(exchange)).type;
    }

    Map<String, Object> argumentsOf(String exchange) {
        return requireNonNull(exchanges.get(exchange)).arguments;
    }

    /** Each once, sorted; by way of other exchanges, and of alternates where nothing else takes it. */
    List<String> route(String exchange, String key, Map<String, Object> headers) {
        Exchange at = requireNonNull(exchanges.get(exchange), exchange);
        Set<String> reached = new TreeSet<>();
        for (Binding binding : bindings) {
            if (binding.from.equals(exchange) && matches(at, binding, key, headers)) {
                reached.addAll(binding.toQueue ? List.of(binding.to) : route(binding.to, key, headers));
            }
        }
        if (reached.isEmpty() && at.arguments.get("alternate-exchange") instanceof String alternate) {
            reached.addAll(route(alternate, key, headers));
        }
        return List.copyOf(reached);
    }

    /** No key of a topic binding that a node makes has a wildcard but {@code #}. */
    private static boolean matches(Exchange at, Binding binding, String key, Map<String, Object> headers) {
        Object delayed = at.arguments.get("x-delayed-type");
        return switch (delayed == null ? at.type : delayed.toString()) {
            case "fanout" -> true;
            case "direct" -> binding.key.equals(key);
            case "topic" -> binding.key.equals(key) || binding.key.equals("#");
            case "headers" ->
                binding.arguments.entrySet().stream()
                        .filter(entry -> !entry.getKey().startsWith("x-"))
                        .allMatch(entry -> entry.getValue().equals(headers.get(entry.getKey())));
            default -> throw new IllegalStateException(at.type);
        };
    }
}
