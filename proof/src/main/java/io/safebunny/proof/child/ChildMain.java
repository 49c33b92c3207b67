// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.point.Faults;
import io.safebunny.proof.point.PointedStore;
import io.safebunny.proof.point.PointedTransactionalStore;
import io.safebunny.proof.point.PointedTransport;
import io.safebunny.proof.point.TypedFaults;
import io.safebunny.proof.saga.LaneHandler;
import io.safebunny.proof.saga.MemberHandler;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderHandler;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.saga.Placed;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.Window;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.proof.trip.OpenEffects;
import io.safebunny.proof.trip.Trips;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens its store, waits for the go, consumes until its standard input ends, and shuts down cleanly. */
final class ChildMain {

    private ChildMain() {}

    public static void main(String... arguments) throws IOException, InterruptedException {
        ChildOptions options = ChildOptions.of(Objects.requireNonNull(System.getenv(ChildOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        SystemTimeline system = new SystemTimeline("child");
        JumpingTimeline timeline = new JumpingTimeline(system);
        OpenEffects effects = new OpenEffects();
        Trap trap = new Trap(options.plan(), ledger, timeline, effects);
        Faults faults = options.kind().isOfSaga() ? new TypedFaults(trap) : trap;
        try (system;
                OpenStore store = open(options, ledger, timeline);
                Window window = Window.into(options.store())) {
            Application application = store.database() == null
                    ? null
                    : Application.of(store.database(), options.address().node(), timeline, faults);
            Persistence persistence = new Persistence(
                    pointed(store.store(), faults),
                    application == null ? null : application.outbox(),
                    options.store().kind().lease());
            if (!options.store().kind().isOfOneProcess()) {
                ledger.write(Kind.READY, "", "");
            }
            try (Node node = new Node(
                    options.address(),
                    persistence,
                    timeline,
                    transport -> pointed(transport, options, ledger, faults),
                    parts -> parts.scheduling(options.kind().isOfSaga()))) {
                start(
                        node,
                        options,
                        () -> orders(node, options, ledger, faults, timeline, store.work()),
                        ledger,
                        timeline,
                        effects);
                ledger.write(Kind.STARTED, "", window.port());
                place(options.places(), application, node, ledger);
                while (System.in.read() >= 0) {
                    // nothing is ever written; the stream ends when the process is to end
                }
            }
        }
        System.exit(0);
    }

    private static void start(
            Node node,
            ChildOptions options,
            Supplier<HandlerDefinition> orders,
            LedgerClient ledger,
            Timeline timeline,
            OpenEffects effects) {
        if (!options.kind().isOfSaga()) {
            node.start(List.of(orders.get()));
            if (options.kind().isHeld()) {
                begin(new Decider(node, options, timeline)::decide);
            }
            return;
        }
        Trips trips = new Trips(node, options.desk(), ledger, timeline, effects);
        node.start(trips.handlers(), trips.sagas());
        begin(trips::repair);
    }

    private static void begin(Runnable work) {
        Thread person = new Thread(work, "person");
        person.setDaemon(true);
        person.start();
    }

    private static HandlerDefinition orders(
            Node node,
            ChildOptions options,
            LedgerClient ledger,
            Faults faults,
            Timeline timeline,
            @Nullable WorkTable work) {
        if (options.kind().isInOrder()) {
            return new LaneHandler(node, ledger, work, options::hasBeenDecided)
                    .definition(options.desk(), options.kind(), options.sharding());
        }
        return options.kind().isGroup()
                ? Node.groupHandler(
                        Order.class,
                        options.desk(),
                        options.kind().isBatch(),
                        new MemberHandler(node, ledger, Objects.requireNonNull(work, "only where there is a table")))
                : Node.handler(Order.class, options.desk(), new OrderHandler(node, ledger, faults, timeline, work));
    }

    private static OpenStore open(ChildOptions options, LedgerClient ledger, Timeline timeline) {
        if (options.store().kind().isOfOneProcess()) {
            ledger.write(Kind.READY, "", ""); // the previous process still has it open
        }
        return OpenStore.open(options.store(), options.address().node(), timeline);
    }

    private static void place(@Nullable Order order, @Nullable Application application, Node node, LedgerClient ledger)
            throws InterruptedException {
        if (order != null && application != null) {
            application.clerk(node).place(order);
            ledger.write(Kind.PLACED, order.id(), "");
        }
    }

    private static MessageStore pointed(MessageStore store, Faults faults) {
        return store instanceof TransactionalMessageStore transactional
                ? new PointedTransactionalStore(transactional, faults)
                : new PointedStore(store, faults);
    }

    private static Transport pointed(Transport transport, ChildOptions options, LedgerClient ledger, Faults faults) {
        return new PointedTransport(
                transport,
                options.kind().isOfSaga()
                        ? queue -> true
                        : (options.address().node() + (options.kind().isInOrder() ? "-Order.in" : "-Order"))::equals,
                ChildMain::isFirst,
                faults,
                incoming -> ledger.write(
                        Kind.DELIVERED,
                        String.valueOf(incoming.message().correlationId()),
                        String.valueOf(incoming.message().messageId())));
    }

    private static boolean isFirst(WireMessage message) {
        return "Charged".equals(message.type()) || Placed.isFirst(message);
    }
}
