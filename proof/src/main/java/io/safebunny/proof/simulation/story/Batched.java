// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Batches: parcels are packed, by rows in a database that are committed with their records, and billed, where each record is written by
 * itself. One of them is refused at first.
 */
public final class Batched {

    private static final int PARCELS = 4;
    private static final int REFUSED = 2;
    private static final Duration RETENTION = Duration.ofDays(366);

    private Batched() {}

    public record Parcel(int number) {}

    /** @param run different for each call of the handler */
    public record Packed(int number, int run) {}

    public record Billed(int number) {}

    /** What happened in one run of the simulation, whichever processes did it. */
    static final class Hall {

        private final List<SharedDatabase> databases = new ArrayList<>();
        private final Map<String, Integer> aloneRuns = new HashMap<>();
        private final List<String> paid = new ArrayList<>();
        private int runs;

        /** That of the first node has transactions. */
        private MessageStore store(Timeline timeline) {
            if (databases.isEmpty()) {
                databases.add(new SharedDatabase(timeline));
                return database();
            }
            return new MemoryMessageStore(timeline, RETENTION);
        }

        private SharedDatabase database() {
            return databases.get(0);
        }

        /** Only what happens to a message on its own may cost it an attempt. */
        private void begins(String node, List<Parcel> parcels, List<MessageContext> contexts) {
            runs++;
            for (int i = 0; i < parcels.size(); i++) {
                String parcel = node + " " + parcels.get(i);
                int attempt = contexts.get(i).attempt();
                int alone = aloneRuns.getOrDefault(parcel, 0);
                if (attempt > alone) {
                    paid.add("%s in attempt %s after %s runs on its own".formatted(parcel, attempt, alone));
                }
                if (parcels.size() == 1) {
                    aloneRuns.put(parcel, alone + 1);
                }
            }
        }
    }

    public static void declare(SimulatedSystem system) {
        Hall hall = new Hall();
        system.node("stock", 2, node -> List.of(new Packer(node, hall)))
                .node("billing", 2, node -> List.of(new Biller(node, hall)))
                .node("shipping", 1, node -> List.of(new Carrier(node)))
                .stores(hall::store)
                .holds("each parcel is packed, billed and told of once", () -> {
                    assertThat(hall.database().rows().stream().map(row -> row.replaceAll(" .*", "")))
                            .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, PARCELS)
                                    .mapToObj(Integer::toString)
                                    .toList());
                    assertThat(system.effects().all()).isEqualTo(once(hall.database()));
                })
                .holds("no parcel pays for another", () -> assertThat(hall.paid).isEmpty());
        for (int number = 1; number <= PARCELS; number++) {
            system.publish("shop", new Parcel(number), "parcel-" + number);
        }
    }

    private static Map<String, Integer> once(SharedDatabase database) {
        Map<String, Integer> once = new HashMap<>();
        database.rows().forEach(row -> once.put(row, 1));
        for (int number = 1; number <= PARCELS; number++) {
            once.put("bill " + number, 1);
            once.put("told of the bill " + number, 1);
        }
        return once;
    }

    private static void refuse(List<Parcel> parcels, List<MessageContext> contexts) {
        for (int i = 0; i < parcels.size(); i++) {
            if (parcels.get(i).number() == REFUSED && contexts.get(i).attempt() == 0) {
                throw new IllegalStateException("refused at first");
            }
        }
    }

    record Packer(SimulatedNode node, Hall hall) {

        @BunnyHandler(from = "shop", batchSize = "4")
        void on(List<Parcel> parcels, List<MessageContext> contexts) {
            hall.begins("stock", parcels, contexts);
            for (int i = 0; i < parcels.size(); i++) {
                int number = parcels.get(i).number();
                hall.database().insert(number + " in run " + hall.runs);
                var unused = contexts.get(i).publisher().publish(new Packed(number, hall.runs));
            }
            refuse(parcels, contexts);
        }
    }

    record Biller(SimulatedNode node, Hall hall) {

        @BunnyHandler(from = "shop", batchSize = "4")
        void on(List<Parcel> parcels, List<MessageContext> contexts) {
            hall.begins("billing", parcels, contexts);
            refuse(parcels, contexts);
            for (int i = 0; i < parcels.size(); i++) {
                int number = parcels.get(i).number();
                node.perform("bill " + number, contexts.get(i).messageId());
                var unused = contexts.get(i).publisher().publish(new Billed(number));
            }
        }
    }

    record Carrier(SimulatedNode node) {

        @BunnyHandler(from = "stock")
        void on(Packed packed) {
            node.perform(packed.number() + " in run " + packed.run(), "packed");
        }

        @BunnyHandler(from = "billing")
        void on(Billed billed, MessageContext context) {
            node.perform("told of the bill " + billed.number(), context.messageId());
        }
    }
}
