// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.Published;
import io.safebunny.proof.child.Child;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.order.PacedMain.Mail;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.broker.TestBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;

/**
 * Three instances of a node share a rate, and one is killed in the middle. Their monotonic clocks are that of the machine, so what each says of
 * when it began can be compared.
 */
record RatesRow(StoreAddress store) {

    private static final int INSTANCES = 3;
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int PER_WINDOW = 500;
    private static final String RATE = PER_WINDOW + "/10s";
    private static final int FULL = 3;
    private static final int QUICK = 2;
    private static final Duration START = Duration.ofMinutes(2);

    Finding find(Effort effort) throws Exception {
        int windows = effort.of(FULL, QUICK);
        Path log = Files.createTempFile("safebunny-rates-", ".log");
        List<Child> children = new ArrayList<>();
        try (Live live = new Live();
                Ledger ledger = new Ledger()) {
            live.store(store, "mailer");
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            for (int number = 1; number <= INSTANCES; number++) {
                children.add(start(live, ledger, "instance-" + number, log));
            }
            Awaitility.await()
                    .atMost(START)
                    .until(() -> ledger.entries(Kind.STARTED).size() == INSTANCES);
            publish(desk, PER_WINDOW * (windows + 1));
            awaitBegun(ledger, PER_WINDOW * windows / 2);
            children.get(0).close();
            awaitBegun(ledger, PER_WINDOW * windows);
            return finding(ledger, windows);
        } finally {
            children.forEach(Child::close);
            Files.delete(log);
        }
    }

    private Child start(Live live, Ledger ledger, String process, Path log) {
        NodeAddress address = new NodeAddress(
                live.name("mailer"), live.prefix(), TestBroker.shared().uri().toString());
        PacedOptions options = new PacedOptions(process, address, live.name("desk"), store, ledger.port(), RATE);
        return Child.start(process, PacedMain.class, PacedOptions.VARIABLE, options.toText(), log);
    }

    private static void publish(Node desk, int count) {
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            sent.add(desk.bunny().publishAsync(new Mail(number)));
        }
        sent.forEach(CompletableFuture::join);
    }

    private static void awaitBegun(Ledger ledger, int count) {
        Awaitility.await()
                .atMost(WINDOW.multipliedBy(2L * FULL))
                .until(() -> ledger.entries(Kind.HANDLING).size() >= count);
    }

    private static Finding finding(Ledger ledger, int windows) {
        List<Long> begun = ledger.entries(Kind.HANDLING).stream()
                .map(Entry::detail)
                .map(Long::valueOf)
                .sorted()
                .toList();
        long first = begun.get(0);
        int most = most(begun);
        int fewest = Integer.MAX_VALUE;
        // the last one may be under way
        for (int window = 0; window < windows - 1; window++) {
            long from = first + window * WINDOW.toNanos();
            fewest = Math.min(fewest, (int) begun.stream()
                    .filter(at -> at >= from && at < from + WINDOW.toNanos())
                    .count());
        }
        long took = begun.get(PER_WINDOW * windows - 1) - first;
        double used = 100.0 * windows * WINDOW.toNanos() / took;
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("rate", RATE);
        figures.put("begun", begun.size());
        figures.put("most in any 10 s", most);
        figures.put("fewest in 10 s", fewest);
        figures.put("percent of the rate used in all", Math.round(used * 10) / 10.0);
        return new Finding(most <= PER_WINDOW * 101 / 100 && fewest >= PER_WINDOW * 95 / 100 && used >= 95, figures);
    }

    private static int most(List<Long> begun) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < begun.size(); last++) {
            while (begun.get(last) - begun.get(first) >= WINDOW.toNanos()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}
