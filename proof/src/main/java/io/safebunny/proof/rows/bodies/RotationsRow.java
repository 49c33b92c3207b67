// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.StoreAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Payments while their key is rotated again and again, and instances are killed. */
record RotationsRow(StoreAddress store) {

    private static final int ROTATIONS = 20;
    /** For each version of the key. */
    private static final int FULL = 4_800;

    private static final int QUICK = 480;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    Finding find(Effort effort) throws Exception {
        try (Live live = new Live();
                Ledger ledger = new Ledger();
                KeyFile keys = new KeyFile();
                Bank bank = new Bank(live, store, ledger, keys, new Random(effort.seed()))) {
            for (int version = 0; version <= ROTATIONS; version++) {
                if (version > 0) {
                    keys.rotate();
                }
                try (Node desk = bank.desk()) {
                    bank.publishAmidKills(desk, effort.of(FULL, QUICK), PATIENCE);
                }
                effort.progress()
                        .accept("%s versions of the key, %s published, %s handled, %s kills"
                                .formatted(keys.versions(), bank.published(), bank.handled(), bank.kills()));
            }
            bank.awaitEnd(PATIENCE, bank::maybeKill);
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("rotations", keys.versions() - 1);
            figures.put("kills", bank.kills());
            boolean passed = bank.judge(figures);
            figures.put("instances started", bank.started());
            figures.put("data keys opened by the one that gets the receipts", bank.opened());
            // each instance makes one, and another one each five minutes; all places may ask for it at once
            boolean fewKeys = bank.opened() <= Live.PLACES * bank.started();
            return new Finding(passed && fewKeys && bank.kills() > 0, figures);
        }
    }
}
