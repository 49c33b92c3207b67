// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.PaymentHandler.Run;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.StoreAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Three versions of a type roll over three instances; the publishers are first, so that messages come to instances that cannot read them. */
record VersionsRow(StoreAddress store) {

    private static final int FULL = 10_000;
    private static final int QUICK = 3_000;
    /** Before the first instance is replaced, and after each. */
    private static final int PORTIONS = Bank.INSTANCES + 1;
    /** Of what an instance that does not know a version sends away, in seconds. */
    private static final long COMES_BACK_AFTER = 59;

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    Finding find(Effort effort) throws Exception {
        int versions = Payment.VERSIONS.size();
        int portion = effort.of(FULL, QUICK) / versions / PORTIONS;
        try (Live live = new Live();
                Ledger ledger = new Ledger();
                KeyFile keys = new KeyFile();
                Bank bank = new Bank(live, store, ledger, keys, null, new Random(effort.seed()), 1)) {
            for (int version = 1; version <= versions; version++) {
                try (Node desk = bank.desk()) {
                    bank.publish(desk, version, portion);
                    for (int instance = 0; instance < Bank.INSTANCES; instance++) {
                        if (version > 1) {
                            bank.replace(instance, version);
                        }
                        bank.publish(desk, version, portion);
                    }
                }
                effort.progress().accept("version %s, %s handled".formatted(version, bank.handled()));
            }
            bank.awaitEnd(PATIENCE, () -> {});
            List<Run> runs = bank.runs().values().stream().flatMap(List::stream).toList();
            long cameBack = runs.stream()
                    .filter(run -> run.waited() >= COMES_BACK_AFTER)
                    .count();
            long handling = runs.stream().map(Run::version).distinct().count();
            Map<String, Object> figures = new LinkedHashMap<>();
            boolean passed = bank.judge(figures);
            figures.put("versions that handled some", handling);
            figures.put("came back, because they were newer than the instance", cameBack);
            return new Finding(passed && handling == versions && cameBack > 0, figures);
        }
    }
}
