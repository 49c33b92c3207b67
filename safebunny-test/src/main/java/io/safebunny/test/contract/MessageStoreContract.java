// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link MessageStore} does. A new store is one class that extends this one and says how to get at it: run it
 * against the real database or service. Rules that need the store's clock to move on are not run where {@link #age} cannot.
 *
 * <p>The node under test has no records at the beginning of each test: give each test a node of its own, or empty it. Each
 * rule is proved to bite by a broken store that fails it and no other.
 */
@Timeout(120)
public abstract class MessageStoreContract
        implements CreateRules,
                ReplaceRules,
                KeyRules,
                ContentRules,
                CompletedRules,
                ExpiryRules,
                JointWriteRules,
                ListingRules {

    private final StoreBench bench = new StoreBench(this);

    /** The records of the node under test, kept for {@link #retention} and {@link #poisonRetention}. Asked for once per test. */
    protected abstract MessageStore store();

    /** The same records, as another process sees them: another client, pool and cache. Asked for once per test. */
    protected abstract MessageStore anotherInstance();

    /** The records of another node in the same database or service. Asked for once per test. */
    protected abstract MessageStore otherNode();

    /**
     * How long records in a final state are kept, and the unit of {@link #age}: some hours where time can be moved, some
     * seconds where it can only be waited for.
     */
    protected abstract Duration retention();

    /** How long poisoned records are kept: at least twice as long as the others, which is the default. */
    protected Duration poisonRetention() {
        return retention().multipliedBy(2);
    }

    /**
     * Lets time pass by the store's clock, for all records of both nodes: moves a virtual clock, moves the records' time
     * stamps back, or waits. No longer than {@link #retention} and a second at a time.
     *
     * @return {@code false} where that is impossible; the rule is then reported as not run
     */
    protected boolean age(Duration duration) {
        return false;
    }

    /** Whether records vanish without {@link MessageStore#removeExpired}, which then has nothing to do. */
    protected boolean forgetsByItself() {
        return false;
    }

    /**
     * Step results and publications of so many bytes fit into no record, 0 without such a limit. A store that cannot hold a
     * megabyte is no store.
     */
    protected long largestContent() {
        return 0;
    }

    /**
     * The record, changed so that this store refuses it for good and takes any other. The default is {@code null}: there is no
     * such record, or none that a test can make; the rule is then reported as not run.
     */
    protected @Nullable MessageRecord unstorable(MessageRecord record) {
        return null;
    }

    /** How long to wait for what must happen. */
    protected Duration patience() {
        return Duration.ofSeconds(15);
    }

    /** For the rules only. */
    @Override
    public final StoreBench bench() {
        return bench;
    }

    @AfterEach
    final void closeBench() {
        bench.close();
    }
}
