// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every {@link MessageStore}. Test a new store with one class that extends this one, against the real database or service.
 * Rules that need the store's clock to advance are skipped if {@link #age} cannot do that.
 *
 * <p>The node under test must have no records at the beginning of each test: use a new node per test, or empty it. For each rule a broken
 * store exists that fails exactly that rule.
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
                LaneWriteRules,
                ListingRules,
                SearchRules,
                WholeStoreRules {

    private final StoreBench bench = new StoreBench(this);

    /** A store with the records of the node under test, kept for {@link #retention} and {@link #poisonRetention}. Called once per test. */
    protected abstract MessageStore store();

    /** A store with the same records, as another process would open it: with another client, pool and cache. Called once per test. */
    protected abstract MessageStore anotherInstance();

    /** A store with the records of another node, in the same database or service. Called once per test. */
    protected abstract MessageStore otherNode();

    /**
     * How long records in a final state are kept, and the unit of {@link #age}: some hours if time can be moved, some seconds if the test
     * must wait.
     */
    protected abstract Duration retention();

    /** How long poisoned records are kept: at least twice as long as the others, which is the default. */
    protected Duration poisonRetention() {
        return retention().multipliedBy(2);
    }

    /**
     * Advances the store's clock for all records of both nodes: moves a virtual clock, moves the records' time stamps back, or waits. At
     * most {@link #retention} plus a second at a time.
     *
     * @return {@code false} if that is impossible; the rule is then reported as skipped
     */
    protected boolean age(Duration duration) {
        return false;
    }

    /** Whether expired records vanish by themselves, so that {@link MessageStore#removeExpired} has nothing to do. */
    protected boolean forgetsByItself() {
        return false;
    }

    /**
     * A size in bytes of step results and publications that is too large for a record; 0 if there is no limit. Every store must hold a
     * megabyte.
     */
    protected long largestContent() {
        return 0;
    }

    /**
     * The given record, changed so that this store permanently refuses it. The default is {@code null}: there is no such record, or a test
     * cannot make one; the rule is then reported as skipped.
     */
    protected @Nullable MessageRecord unstorable(MessageRecord record) {
        return null;
    }

    /** How long the rules wait for something that must happen. */
    protected Duration patience() {
        return Duration.ofSeconds(15);
    }

    /** The bench of the test; used only by the rules. */
    @Override
    public final StoreBench bench() {
        return bench;
    }

    @AfterEach
    final void closeBench() {
        bench.close();
    }
}
