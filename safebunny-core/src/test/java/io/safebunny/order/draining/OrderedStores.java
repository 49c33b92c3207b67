// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.DecisiveStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;

/** Stores that claim in each way. */
final class OrderedStores {

    private OrderedStores() {}

    /** What no process may see at any time, and the writes after which one could. */
    static MessageStore memory(List<String> broken) {
        return new Watched(new MemoryMessageStore(VirtualTimeline.skipping(), OrderedNode.RETENTION), broken);
    }

    static Stream<Named<Function<List<String>, MessageStore>>> all() {
        return Stream.of(
                Named.of("leases", OrderedStores::memory),
                Named.of("transactions", broken -> new Transactions()),
                Named.of("stale reads", broken -> new Stale(memory(broken))));
    }

    /** Whether what is parked and what its lane says agree after each write. */
    private static final class Watched extends ForwardingMessageStore {

        private static final int FEW = 20;

        private final List<String> broken;

        Watched(MessageStore store, List<String> broken) {
            super(store);
            this.broken = broken;
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            MessageRecord replaced = super.replace(record);
            look("replace of " + record);
            return replaced;
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            JointWrite answer = super.writeTogether(records);
            look("write of " + records);
            return answer;
        }

        private void look(String after) {
            Lane lane = LaneDocument.read(super.find(OrderedNode.LANE));
            if (lane.parked() > FEW) {
                return;
            }
            Set<String> inLane = new HashSet<>();
            if (lane.head() != null) {
                inLane.add(lane.head());
            }
            for (long slot = lane.first(); slot < lane.next(); slot++) {
                MessageRecord stored = super.find(LaneSlot.key(OrderedNode.LANE, slot));
                if (stored == null) {
                    broken.add("slot %s is missing after the %s".formatted(slot, after));
                    return;
                }
                inLane.add(LaneSlot.message(stored));
            }
            super.findCorrelated(OrderedNode.KEY, Integer.MAX_VALUE).stream()
                    .map(DatedRecord::record)
                    .filter(record -> record.state() == RecordState.PARKED
                            && !inLane.contains(record.key().messageId()))
                    .forEach(record -> broken.add(record + " is in no lane after the " + after));
        }
    }

    /** Claims are part of the handler's transaction. */
    static class Transactions extends DecisiveStore {

        Transactions() {
            super(OrderedNode.RETENTION);
        }

        @Override
        public LocalTransaction begin() {
            open = true;
            uncommitted.clear();
            return new Decisive() {};
        }
    }

    /** One process: of lanes it sees what it has read or written last, until a write is refused. */
    static final class Stale extends ForwardingMessageStore {

        private final Map<RecordKey, MessageRecord> known = new HashMap<>();

        Stale(MessageStore shared) {
            super(shared);
        }

        @Override
        public boolean readsAreDecisive() {
            return false;
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (!key.equals(OrderedNode.LANE)) {
                return super.find(key);
            }
            MessageRecord found = known.containsKey(key) ? known.get(key) : super.find(key);
            known.put(key, found);
            return found;
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
