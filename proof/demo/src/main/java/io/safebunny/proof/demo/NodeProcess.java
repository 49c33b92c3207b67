// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.Published;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.UsageException;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.storefront.Storefront;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Runs a single node in this process. The storefront places its orders and ends; the others serve until interrupted. */
final class NodeProcess {

    private final Options options;
    private final Node node;
    private final Interruption interruption;
    private final PrintStream out;

    NodeProcess(Options options, Node node, Interruption interruption, PrintStream out) {
        this.options = options;
        this.node = node;
        this.interruption = interruption;
        this.out = out;
    }

    void run() {
        try (Storage storage = Storage.open(options);
                Saga saga = Saga.start(Setup.of(options, storage), List.of(node))) {
            if (node == Node.STOREFRONT) {
                place(saga.storefront());
                return;
            }
            saga.addresses().values().forEach(address -> out.println(node.wireName() + ": " + address));
            out.println(node.wireName() + " is running; Ctrl-C ends it");
            out.flush();
            serve(saga, storage);
            saga.stop();
            for (Effect effect : Effect.values()) {
                long rows = rows(storage, effect);
                if (rows > 0) {
                    out.println(node.wireName() + ": " + effect + " " + rows);
                }
            }
        }
    }

    private void serve(Saga saga, Storage storage) {
        try (Supervision supervision =
                node == Node.ORDERS ? Supervision.of(saga, options, storage) : Supervision.ofNothing()) {
            while (!interruption.awaitFor(supervision.pause())) {
                supervision.look();
            }
        }
    }

    private static long rows(Storage storage, Effect effect) {
        return storage.client()
                .sql("select count(*) from ledger where effect = ? and id > ?")
                .params(effect.name(), storage.lastRow())
                .query(Long.class)
                .single();
    }

    private void place(Storefront storefront) {
        OrderGenerator generator = OrderGenerator.of(options);
        List<CompletableFuture<Published>> placed = new ArrayList<>();
        for (int number = 1; number <= options.orders(); number++) {
            placed.add(storefront.place(generator.order(number)));
        }
        try {
            CompletableFuture.allOf(placed.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw new UsageException("not all orders could be placed. Check the broker: " + e.getCause());
        }
        out.println("storefront: placed " + placed.size() + " orders");
    }
}
