// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.store.rows.Statements;
import io.safebunny.jdbc.store.rows.Write;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Batches concurrent writes to the table of messages: creations share a round trip and a commit, and so do replacements. Thread-safe. */
final class CombinedWrites {

    private static final Logger LOG = LoggerFactory.getLogger(CombinedWrites.class);

    private final Connections connections;
    private final Statements messages;
    private final Combiner<Write, Boolean> creations;
    private final Combiner<Write, Optional<Boolean>> replacements;

    /** @param most writes in one batch */
    CombinedWrites(Connections connections, Statements messages, int most) {
        this.connections = connections;
        this.messages = messages;
        this.creations = new Combiner<>(most, this::createTogether);
        this.replacements = new Combiner<>(most, this::replaceTogether);
    }

    /** Whether the write created the record. Also {@code false} if that is unknown: then repeat the write on its own, which is harmless. */
    boolean create(Write write) {
        return creations.run(write);
    }

    /** Whether the write replaced the record; empty if that is unknown. */
    Optional<Boolean> replace(Write write) {
        return replacements.run(write);
    }

    /**
     * Tells for each write whether it created the record. After a failure all are {@code false}: each caller then tries on its own, which
     * is harmless even if the batch was committed.
     */
    private List<Boolean> createTogether(List<Write> writes) {
        try {
            return inOrderOfKeys(writes, messages::insertAll);
        } catch (SQLException e) {
            LOG.debug("Records could not be created together [count={}]", writes.size(), e);
            return Collections.nCopies(writes.size(), false);
        }
    }

    /**
     * Tells for each write whether it replaced the record. All are empty after a failure, because one locked row must not fail the others:
     * each caller then tries on its own, and checks whether the batch was committed after all.
     */
    private List<Optional<Boolean>> replaceTogether(List<Write> writes) {
        try {
            return inOrderOfKeys(writes, messages::updateAll).stream()
                    .map(Optional::of)
                    .toList();
        } catch (SQLException e) {
            LOG.debug("Records could not be replaced together [count={}]", writes.size(), e);
            return Collections.nCopies(writes.size(), Optional.empty());
        }
    }

    @FunctionalInterface
    private interface Batch {
        boolean[] run(Connection connection, List<Write> writes) throws SQLException;
    }

    private List<Boolean> inOrderOfKeys(List<Write> writes, Batch batch) throws SQLException {
        List<Integer> order = IntStream.range(0, writes.size())
                .boxed()
                .sorted(Comparator.comparing(writes::get, Write.BY_KEY))
                .toList();
        boolean[] done = connections.once(connection ->
                batch.run(connection, order.stream().map(writes::get).toList()));
        Boolean[] results = new Boolean[done.length];
        for (int i = 0; i < done.length; i++) {
            results[order.get(i)] = done[i];
        }
        return List.of(results);
    }
}
