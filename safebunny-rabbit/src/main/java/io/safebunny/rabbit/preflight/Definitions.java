// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.rabbit.topology.Broker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Turns a topology into definitions that RabbitMQ can import. Not thread-safe. */
final class Definitions implements Broker {

    private final String virtualHost;
    private final List<Map<String, Object>> exchanges = new ArrayList<>();
    private final List<Map<String, Object>> queues = new ArrayList<>();
    private final List<Map<String, Object>> bindings = new ArrayList<>();

    Definitions(String virtualHost) {
        this.virtualHost = virtualHost;
    }

    @Override
    public boolean exchange(String name, String type, Map<String, Object> arguments) {
        Map<String, Object> exchange = durable(name, arguments);
        exchange.put("type", type);
        exchange.put("internal", false);
        exchanges.add(exchange);
        return true;
    }

    @Override
    public boolean queue(String name, Map<String, Object> arguments) {
        queues.add(durable(name, arguments));
        return true;
    }

    private Map<String, Object> durable(String name, Map<String, Object> arguments) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", name);
        object.put("vhost", virtualHost);
        object.put("durable", true);
        object.put("auto_delete", false);
        object.put("arguments", new TreeMap<>(arguments));
        return object;
    }

    @Override
    public void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments) {
        bind("queue", queue, exchange, routingKey, arguments);
    }

    @Override
    public void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments) {
        bind("exchange", exchange, from, routingKey, arguments);
    }

    private void bind(String kind, String target, String source, String routingKey, Map<String, Object> arguments) {
        Map<String, Object> binding = new LinkedHashMap<>();
        binding.put("source", source);
        binding.put("vhost", virtualHost);
        binding.put("destination", target);
        binding.put("destination_type", kind);
        binding.put("routing_key", routingKey);
        binding.put("arguments", new TreeMap<>(arguments));
        bindings.add(binding);
    }

    Map<String, Object> result() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("exchanges", exchanges);
        all.put("queues", queues);
        all.put("bindings", bindings);
        return all;
    }
}
