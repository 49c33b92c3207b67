// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix.stage;

import com.rabbitmq.client.GetResponse;
import io.safebunny.message.Names;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.saga.Placed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The queues of one stage: their names, and what is in them. Used by one thread. */
public final class StageQueues implements AutoCloseable {

    private static final List<String> OF_SAGAS = List.of(
            "StepA",
            "UndoA",
            "DoneA",
            "StepB",
            "UndoB",
            "DoneB",
            "BunnyTimeout",
            "BunnyUndone",
            "BunnyRepair",
            "BunnyPoisoned",
            "BunnyScheduled",
            "poison-watch");

    private static final int MOST_SHARDS = 4;

    private final NodeAddress worker;
    private final NodeAddress desk;
    private final OrderKind kind;
    private final Queues broker;
    private final String tap;

    /** @param kind of the orders that the worker works on */
    StageQueues(NodeAddress worker, NodeAddress desk, OrderKind kind) {
        this.worker = worker;
        this.desk = desk;
        this.kind = kind;
        this.broker = new Queues(worker.broker());
        this.tap = broker.tap(worker.prefix(), Names.address(worker.node(), Placed.TYPE));
    }

    public String orders() {
        return worker.node() + (kind.isInOrder() ? "-Order.in" : "-Order");
    }

    public String poison() {
        return worker.node() + "-poison";
    }

    /** Of orders that are forwarded to shards. */
    public String shard(int number) {
        return worker.node() + "-Order." + number;
    }

    /** Of what was discarded. */
    public String archive() {
        return poison() + "-archive";
    }

    public String deskPoison() {
        return desk.node() + "-poison";
    }

    /** All queues that may hold messages of this run, except the two poison queues and those for delayed messages. */
    public List<String> transit() {
        List<String> all = new ArrayList<>(List.of(
                orders(),
                worker.node() + "-dead-letters",
                desk.node() + "-Charged",
                desk.node() + "-Shipped",
                desk.node() + "-" + Placed.TYPE,
                desk.node() + "-SagaFailed",
                desk.node() + "-dead-letters"));
        if (kind.isOfSaga()) {
            OF_SAGAS.forEach(type -> all.add(worker.node() + "-" + type));
        }
        if (kind.isInShards()) {
            IntStream.range(0, MOST_SHARDS).mapToObj(this::shard).forEach(all::add);
        }
        return all;
    }

    /** The queues in which delayed messages wait. */
    public List<String> rungs() {
        return IntStream.range(4, 16)
                .mapToObj(rung -> String.format(Locale.ROOT, "%s.delayed.%02d", worker.prefix(), rung))
                .toList();
    }

    public int messages(String queue) {
        return broker.messages(queue);
    }

    public List<GetResponse> drain(String queue) {
        return broker.drain(queue);
    }

    /** The {@link Placed} messages published since the last call, in order, including copies. */
    public List<GetResponse> tapped() {
        return broker.drain(tap);
    }

    /**
     * Removes what could not be routed and returns what is of this run, described. The queue outlives runs, as the exchanges do, and may
     * hold a late copy of the run before, whose queues are gone.
     */
    public List<String> unrouted() {
        return broker.drain(worker.prefix() + ".unrouted").stream()
                .map(GetResponse::getProps)
                .filter(message -> message.getAppId() == null
                        || message.getAppId().equals(worker.node())
                        || message.getAppId().equals(desk.node()))
                .map(Object::toString)
                .toList();
    }

    void purgeOrders() {
        broker.purge(orders());
    }

    /** Deletes them. */
    @Override
    public void close() {
        transit().forEach(broker::delete);
        for (String poison : List.of(poison(), deskPoison())) {
            broker.delete(poison);
            broker.delete(poison + "-archive"); // thousands of empty ones would fill the broker's memory
        }
        broker.close();
    }
}
