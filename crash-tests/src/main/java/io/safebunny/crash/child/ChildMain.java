// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.child;

import io.safebunny.crash.ledger.Entry.Kind;
import io.safebunny.crash.ledger.LedgerClient;
import io.safebunny.crash.point.Faults;
import io.safebunny.crash.point.PointedStore;
import io.safebunny.crash.point.PointedTransactionalStore;
import io.safebunny.crash.point.PointedTransport;
import io.safebunny.crash.saga.Node;
import io.safebunny.crash.saga.Order;
import io.safebunny.crash.saga.OrderHandler;
import io.safebunny.crash.store.OpenStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.util.List;

/** Opens its store, waits for the word, consumes until its standard input ends, and stops in order. */
final class ChildMain {

    private ChildMain() {}

    public static void main(String... arguments) throws IOException {
        ChildOptions options = ChildOptions.of(arguments[0]);
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        SystemTimeline system = new SystemTimeline("child");
        JumpingTimeline timeline = new JumpingTimeline(system);
        Faults faults = new Trap(options.plan(), ledger, timeline);
        try (system;
                OpenStore store =
                        OpenStore.open(options.store(), options.address().node(), timeline)) {
            ledger.write(Kind.READY, "", "");
            try (Node node = node(options, store, timeline, ledger, faults)) {
                node.start(List.of(Node.handler(
                        Order.class,
                        options.desk(),
                        new OrderHandler(node.bunny(), ledger, faults, timeline, store.work()))));
                ledger.write(Kind.STARTED, "", "");
                while (System.in.read() >= 0) {
                    // nobody writes: the end of the stream is the end of the process
                }
            }
        }
        System.exit(0);
    }

    private static Node node(
            ChildOptions options, OpenStore store, JumpingTimeline timeline, LedgerClient ledger, Faults faults) {
        MessageStore pointed = store.store() instanceof TransactionalMessageStore transactional
                ? new PointedTransactionalStore(transactional, faults)
                : new PointedStore(store.store(), faults);
        return new Node(
                options.address(),
                pointed,
                timeline,
                transport -> new PointedTransport(
                        transport,
                        options.address().node() + "-Order",
                        "Charged",
                        faults,
                        incoming -> ledger.write(
                                Kind.DELIVERED,
                                String.valueOf(incoming.message().correlationId()),
                                String.valueOf(incoming.message().messageId()))));
    }
}
