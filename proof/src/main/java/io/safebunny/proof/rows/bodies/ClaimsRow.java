// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.StoreAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** Payments whose bodies, and those of their receipts, are in a folder, while instances are killed: also while they put one. */
record ClaimsRow(StoreAddress store) {

    private static final int FULL = 20_000;
    private static final int QUICK = 3_000;
    private static final String PART = ".part";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    Finding find(Effort effort) throws Exception {
        Path folder = Files.createTempDirectory("safebunny-bodies-");
        try (Live live = new Live();
                Ledger ledger = new Ledger();
                KeyFile keys = new KeyFile();
                Bank bank = new Bank(live, store, ledger, keys, folder, new Random(effort.seed()))) {
            try (Node desk = bank.desk()) {
                bank.publishAmidKills(desk, effort.of(FULL, QUICK), PATIENCE);
            }
            bank.awaitEnd(PATIENCE, bank::maybeKill);
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("kills", bank.kills());
            boolean passed = bank.judge(figures);
            List<String> names = names(folder);
            long whole = names.stream().filter(name -> !name.endsWith(PART)).count();
            figures.put("bodies stored", whole);
            figures.put("begun by processes that were killed", names.size() - whole);
            // more than two each: a run that is repeated encrypts its receipt anew
            return new Finding(passed && bank.kills() > 0 && whole >= 2L * bank.published(), figures);
        } finally {
            delete(folder);
        }
    }

    /** Of the files in its folders. */
    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> !folder.equals(file.getParent()) && Files.isRegularFile(file))
                    .map(file -> String.valueOf(file.getFileName()))
                    .toList();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
