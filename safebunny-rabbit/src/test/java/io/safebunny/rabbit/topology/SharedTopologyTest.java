// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.ExchangeKind;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What an administrator imports is what the code would declare: all that belongs to no node alone, with every rung of the ladder. */
class SharedTopologyTest {

    private static final Path FILE = Path.of("../docs/shared-topology.json");
    private static final JsonMapper JSON = new JsonMapper();
    private static final String VIRTUAL_HOST = "/";

    private final TopologyOptions names = TopologyOptions.defaults();
    private final Topology topology = TopologyPlanner.plan("any", List.of(), names);
    private final Set<String> exchanges = new LinkedHashSet<>();
    private final Set<String> queues = new LinkedHashSet<>();
    private final Set<String> bindings = new LinkedHashSet<>();

    /** To renew the file, copy the one that this leaves in target. */
    @Test
    void theFileHasWhatTheCodeDeclares() throws IOException {
        addFixed();
        for (int from = LadderPath.LOWEST_RUNG; from <= 34; from++) {
            addPaths(List.of(from));
            for (int to = LadderPath.LOWEST_RUNG; to < from; to++) {
                addPaths(List.of(from, to));
            }
        }
        String expected = "{%n\"exchanges\": [%n%s%n],%n\"queues\": [%n%s%n],%n\"bindings\": [%n%s%n]%n}%n"
                .formatted(lines(exchanges), lines(queues), lines(bindings));
        Files.writeString(Path.of("target/shared-topology.json"), expected);

        assertThat(Files.readString(FILE)).isEqualTo(expected);
    }

    private static String lines(Set<String> objects) {
        return objects.stream().collect(Collectors.joining(",%n".formatted()));
    }

    private void addFixed() {
        for (Topology.Exchange exchange : topology.exchanges()) {
            boolean delayed = exchange.kind() == ExchangeKind.DELAYED;
            addExchange(
                    exchange.name(),
                    delayed ? "headers" : exchange.kind().name().toLowerCase(Locale.ROOT),
                    exchange.alternate() == null ? Map.of() : Map.of("alternate-exchange", exchange.alternate()));
        }
        addExchange(names.laterExchange(), "topic", Map.of());
        addExchange(names.controlExchange(), "topic", Map.of());
        topology.queues().forEach(queue -> addQueue(queue.name(), queue.arguments()));
        topology.bindings()
                .forEach(binding ->
                        addBinding(binding.exchange(), "queue", binding.queue(), binding.routingKey(), Map.of()));
        addBinding(names.laterExchange(), "exchange", names.delayedExchange(), "#", Map.of());
    }

    private void addPaths(List<Integer> rungs) {
        for (String end : List.of(Delay.TO_BINDINGS, Delay.TO_QUEUE)) {
            add(LadderPath.steps(rungs, false, end, names));
            add(LadderPath.steps(rungs, true, end, names));
        }
    }

    private void add(List<LadderPath.Step> steps) {
        for (LadderPath.Step step : steps) {
            String target = step.target(names);
            if (!step.isEnd()) {
                addExchange(target, "headers", LadderDelay.exchangeArguments(names));
                addQueue(target, LadderDelay.rungArguments(step.rung(), target));
            }
            addBinding(step.exchange(), step.isEnd() ? "exchange" : "queue", target, "", step.arguments());
        }
    }

    private void addExchange(String name, String type, Map<String, Object> arguments) {
        exchanges.add(json(Map.of("name", name, "type", type, "internal", false), arguments));
    }

    private void addQueue(String name, Map<String, Object> arguments) {
        queues.add(json(Map.of("name", name), arguments));
    }

    private void addBinding(String source, String type, String target, String key, Map<String, Object> arguments) {
        Map<String, Object> binding = new TreeMap<>(
                Map.of("source", source, "destination_type", type, "destination", target, "routing_key", key));
        binding.put("vhost", VIRTUAL_HOST);
        binding.put("arguments", new TreeMap<>(arguments));
        bindings.add(JSON.writeValueAsString(binding));
    }

    private static String json(Map<String, Object> properties, Map<String, Object> arguments) {
        Map<String, Object> all = new TreeMap<>(properties);
        all.put("vhost", VIRTUAL_HOST);
        all.put("durable", true);
        all.put("auto_delete", false);
        all.put("arguments", new TreeMap<>(arguments));
        return JSON.writeValueAsString(all);
    }
}
