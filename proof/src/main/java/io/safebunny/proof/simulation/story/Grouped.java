// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Messages that share transactions: parcels are packed, each once, by a row in the database and a message; one of them is refused at first. */
public final class Grouped {

    private static final int PARCELS = 4;
    private static final int REFUSED = 2;

    private Grouped() {}

    public record Parcel(int number) {}

    /** @param run different for each run of the handler */
    public record Packed(int number, int run) {}

    /** What happened in one run of the simulation, whichever processes did it. */
    static final class Hall {

        private final List<SharedDatabase> databases = new ArrayList<>();
        private final Map<Integer, Integer> aloneRuns = new HashMap<>();
        private final List<String> paid = new ArrayList<>();
        private int runs;

        private SharedDatabase database() {
            return databases.get(0);
        }

        /** Only what happens to a message on its own may cost it an attempt. */
        private void begins(Parcel parcel, int attempt) {
            runs++;
            int alone = aloneRuns.getOrDefault(parcel.number(), 0);
            if (attempt > alone) {
                paid.add("%s in attempt %s after %s runs on its own".formatted(parcel, attempt, alone));
            }
            if (!database().isShared()) {
                aloneRuns.put(parcel.number(), alone + 1);
            }
        }
    }

    public static void declare(SimulatedSystem system) {
        Hall hall = new Hall();
        system.node("stock", 2, node -> List.of(new Packer(node, hall)))
                .node("shipping", 1, node -> List.of(new Carrier(node)))
                .stores(timeline -> {
                    SharedDatabase made = new SharedDatabase(timeline);
                    hall.databases.add(made); // that of the first node is the first
                    return made;
                })
                .holds("each parcel is packed once, and told of as it was packed", () -> {
                    assertThat(hall.database().rows().stream().map(row -> row.replaceAll(" .*", "")))
                            .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, PARCELS)
                                    .mapToObj(Integer::toString)
                                    .toList());
                    assertThat(system.effects().all().keySet())
                            .containsExactlyInAnyOrderElementsOf(hall.database().rows());
                })
                .holds("no parcel pays for another", () -> assertThat(hall.paid).isEmpty());
        for (int number = 1; number <= PARCELS; number++) {
            system.publish("shop", new Parcel(number), "parcel-" + number);
        }
    }

    record Packer(SimulatedNode node, Hall hall) {

        @BunnyHandler(from = "shop", messagesPerTransaction = "4")
        void on(Parcel parcel, MessageContext context) {
            hall.begins(parcel, context.attempt());
            int run = hall.runs;
            hall.database().insert(parcel.number() + " in run " + run);
            var unused = node.bunny().publish(new Packed(parcel.number(), run));
            if (parcel.number() == REFUSED && context.attempt() == 0) {
                throw new IllegalStateException("refused at first");
            }
        }
    }

    record Carrier(SimulatedNode node) {

        @BunnyHandler(from = "stock")
        void on(Packed packed) {
            node.perform(packed.number() + " in run " + packed.run(), "packed");
        }
    }
}
