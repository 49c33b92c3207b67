// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Claim.Completion;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Batch;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.middleware.Next;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claims of a batch where each is a write of its own, or none: so is each completion. Confined to one thread. */
public final class SeparateClaims implements SharedClaims {

    private static final Logger LOG = LoggerFactory.getLogger(SeparateClaims.class);

    private final Map<Handling, Claim> claims = new LinkedHashMap<>();
    private final Map<Handling, Written> handled = new LinkedHashMap<>();
    private List<Handling> run = List.of();
    /** Store or broker do not answer, so that asking again for each would only hold up the thread. */
    private @Nullable Throwable trouble;

    /** Why not all could be claimed: to go on with some would only repeat the call. */
    private @Nullable Throwable unclaimed;

    private boolean isUnanswered;

    /** @param separate claims one */
    public SeparateClaims(Function<Handling, Claimed> separate, List<Handling> messages) {
        boolean begun = false;
        try {
            for (Handling message : messages) {
                if (!claim(separate, message)) {
                    break;
                }
            }
            begun = true;
        } finally {
            if (!begun) { // out of memory: nobody else could close them, and they would be renewed for ever
                close();
            }
        }
    }

    /** @return whether to go on: a store that does not answer would be waited for again and again */
    private boolean claim(Function<Handling, Claimed> separate, Handling message) {
        try {
            Claimed claimed = separate.apply(message);
            if (claimed instanceof Ours ours) {
                claims.put(message, ours.claim());
            }
            if (claimed instanceof Busy busy && busy.why().isTrouble()) {
                unclaimed = busy.why();
            }
            return unclaimed == null;
        } catch (RuntimeException e) {
            LOG.debug(
                    "Message {} cannot be claimed in a batch", message.message().id(), e);
            return false;
        }
    }

    @Override
    public boolean isClaimed(Handling handling) {
        return claims.containsKey(handling);
    }

    @Override
    public @Nullable Throwable failure() {
        return trouble;
    }

    @Override
    public @Nullable Throwable run(List<Handling> together, Next handler) {
        if (unclaimed != null) {
            return unclaimed;
        }
        Claim first = Objects.requireNonNull(claims.get(together.get(0)), "Not claimed");
        try (Hold unused = first.enter()) { // for all: none of them must run alone
            Batch.run(together, handler);
            run = together;
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    @Override
    public Map<Handling, Written> commit() {
        for (Handling each : run) {
            Claim claim = claims.get(each);
            Completion completion = claim == null ? Completion.OVERTAKEN : complete(claim, each);
            if (completion instanceof Written written) {
                handled.put(each, written);
            } else if (completion instanceof NotWritten lost
                    && BreakerEffect.of(lost.failure()) instanceof BreakerEffect.Pause) {
                trouble = lost.failure(); // the others would wait for the same store or broker
                break;
            }
        }
        return handled;
    }

    private static Completion complete(Claim claim, Handling handling) {
        try {
            return claim.complete(Run.of(handling, () -> {}));
        } catch (RuntimeException e) {
            return new NotWritten(e);
        }
    }

    @Override
    public void close() {
        Throwable failure = null;
        for (Map.Entry<Handling, Claim> each : claims.entrySet()) {
            try (Claim claim = each.getValue()) {
                if (!handled.containsKey(each.getKey())
                        && trouble == null
                        && !isUnanswered) { // otherwise it ends with its lease
                    release(claim);
                    isUnanswered = claim.isUnanswered();
                }
            } catch (Throwable e) { // the others must be closed, too
                failure = e;
            }
        }
        if (failure != null) {
            LOG.debug("Not all claims of a batch could be released", failure);
        }
    }

    /** At no cost of an attempt. */
    private static void release(Claim claim) {
        NotHandledException why = NotHandledException.later("It leaves its batch", Duration.ZERO);
        Object unused = claim.release(why, Returned.because(why));
    }
}
