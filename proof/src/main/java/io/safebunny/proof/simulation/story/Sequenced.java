// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyHandler.OnPoison;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Messages in order: each change of an article is shown after the one before, although one fails at first, or is set aside. */
public final class Sequenced {

    private static final int CHANGES = 3;
    private static final String FAILING = "tea";

    private Sequenced() {}

    /** Whether what fails has been mended, in one run of the simulation. */
    static final class Shop {
        private boolean isMended;

        /** It is, before anything is replayed in the end. */
        static Shop of(SimulatedSystem system) {
            Shop shop = new Shop();
            system.replaysAfter(() -> shop.isMended = true);
            return shop;
        }
    }

    @BunnyMessage(orderBy = "article")
    public record Changed(String article, int number) {}

    /** The first change of an article fails, and is retried. */
    public static void retried(SimulatedSystem system) {
        allInOrder(system, Retrying::new);
    }

    /** As {@link #retried}, with a store whose reads may miss what others have written. */
    public static void read(SimulatedSystem system) {
        retried(system);
        system.storeClients((store, timeline) -> new LateReads(store));
    }

    /** The first change of an article is set aside, and replayed in the end. Those behind it wait. */
    public static void held(SimulatedSystem system) {
        Shop shop = Shop.of(system);
        allInOrder(system, node -> new Holding(node, shop));
    }

    /** The same, and those behind it go on without it. */
    public static void skipped(SimulatedSystem system) {
        Shop shop = Shop.of(system);
        declare(system, node -> new Skipping(node, shop));
        system.holds("each is shown once, and the last ones in order", () -> {
            assertThat(shown(system, FAILING)).containsExactlyInAnyOrderElementsOf(all(FAILING));
            assertThat(shown(system, FAILING))
                    .filteredOn(change -> !change.endsWith(" 1"))
                    .isEqualTo(all(FAILING).subList(1, CHANGES));
        });
    }

    /** @param handler of one instance, which handles {@link Changed} */
    static void allInOrder(SimulatedSystem system, Function<SimulatedNode, Object> handler) {
        declare(system, handler);
        inOrder(system, FAILING);
    }

    private static void declare(SimulatedSystem system, Function<SimulatedNode, Object> handler) {
        system.node("shop", 2, node -> List.of(handler.apply(node)));
        inOrder(system, "milk");
        for (int number = 1; number <= CHANGES; number++) {
            system.publish("warehouse", new Changed(FAILING, number), "tea-" + number);
            system.publish("warehouse", new Changed("milk", number), "milk-" + number);
        }
    }

    private static void inOrder(SimulatedSystem system, String article) {
        system.holds("each change of %s is shown once, in order".formatted(article), () -> {
            assertThat(shown(system, article)).isEqualTo(all(article));
            assertThat(system.effects().all().values()).containsOnly(1);
        });
    }

    private static List<String> shown(SimulatedSystem system, String article) {
        return system.effects().all().keySet().stream()
                .filter(change -> change.startsWith(article))
                .toList();
    }

    private static List<String> all(String article) {
        return IntStream.rangeClosed(1, CHANGES)
                .mapToObj(number -> article + " " + number)
                .toList();
    }

    private static boolean isFirst(Changed change) {
        return change.article().equals(FAILING) && change.number() == 1;
    }

    static void retry(SimulatedNode node, Changed change, MessageContext context) {
        if (isFirst(change) && context.attempt() == 0) {
            throw new IllegalStateException("the shelf is locked");
        }
        show(node, change, context);
    }

    static void mend(SimulatedNode node, Shop shop, Changed change, MessageContext context) {
        if (isFirst(change) && !shop.isMended) {
            throw new PoisonMessageException("there is no such shelf");
        }
        show(node, change, context);
    }

    private static void show(SimulatedNode node, Changed change, MessageContext context) {
        node.perform(change.article() + " " + change.number(), context.messageId());
    }

    record Retrying(SimulatedNode node) {

        @BunnyHandler(from = "warehouse", ordered = true)
        void on(Changed change, MessageContext context) {
            retry(node, change, context);
        }
    }

    record Holding(SimulatedNode node, Shop shop) {

        @BunnyHandler(from = "warehouse", ordered = true)
        void on(Changed change, MessageContext context) {
            mend(node, shop, change, context);
        }
    }

    record Skipping(SimulatedNode node, Shop shop) {

        @BunnyHandler(from = "warehouse", ordered = true, onPoison = OnPoison.SKIP)
        void on(Changed change, MessageContext context) {
            mend(node, shop, change, context);
        }
    }

    /** A process sees of lanes what it has read or written last, until a write is refused or it has looked twice. */
    private static final class LateReads extends ForwardingMessageStore {

        private final Map<RecordKey, @Nullable MessageRecord> known = new HashMap<>();

        LateReads(MessageStore store) {
            super(store);
        }

        @Override
        public boolean readsAreDecisive() {
            return false;
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (!isLane(key)) {
                return super.find(key);
            }
            if (known.containsKey(key)) {
                return known.remove(key);
            }
            MessageRecord found = super.find(key);
            known.put(key, found);
            return found;
        }

        private static boolean isLane(RecordKey key) {
            return key.messageId()
                    .equals(LaneDocument.key(key.correlationId(), "Changed").messageId());
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            MessageRecord replaced = super.replace(record);
            known.remove(record.key());
            return replaced;
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            JointWrite answer = super.writeTogether(records);
            records.forEach(record -> known.remove(record.key()));
            return answer;
        }
    }
}
