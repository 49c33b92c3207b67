// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.handling.Handling;
import io.safebunny.handling.InMemorySteps;
import io.safebunny.handling.Run;
import io.safebunny.publishing.ConfirmedSender;

/** Without a store every message is ours, and completed when its publications are confirmed. Thread-safe. */
public final class NotRemembered implements Claims {

    private final ConfirmedSender sender;

    public NotRemembered(ConfirmedSender sender) {
        this.sender = sender;
    }

    @Override
    public Claimed claim(Handling handling) {
        return new Ours(new Unstored(handling));
    }

    private final class Unstored extends InMemorySteps implements Claim {

        private final Handling handling;

        Unstored(Handling handling) {
            super(handling.message().id());
            this.handling = handling;
        }

        @Override
        public Hold enter() {
            return Hold.NONE;
        }

        @Override
        public Completion complete(Run run) {
            try {
                sender.sendInOrder(run.publications());
                return new Written(null, run.joined().whenWritten());
            } catch (UnroutableException | NackedException e) {
                return new NotWritten(
                        new UnpublishedException(handling.message().id(), e));
            } catch (RuntimeException e) {
                return new NotWritten(e);
            }
        }

        @Override
        public Failed release(Throwable failure, Failed ending) {
            return ending;
        }

        @Override
        public void close() {}
    }
}
