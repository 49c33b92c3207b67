// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.store.record.MessageRecord;
import org.jspecify.annotations.Nullable;

/** What one round of sweeping knows of one target. Confined to the sweeping thread. */
final class SweptTarget {

    /** After so many in one round a target is taken to refuse all. */
    private static final int REFUSALS = 3;

    final boolean wasSilent;
    boolean silent;
    boolean avoided;
    /** Something that was found must go there. */
    boolean waitedFor;
    /** Shows whether it still is silent. */
    @Nullable
    MessageRecord probe;

    private int nacks;

    SweptTarget(boolean wasSilent) {
        this.wasSilent = wasSilent;
        this.silent = wasSilent;
        this.avoided = wasSilent;
    }

    /** One refused message is perhaps to blame itself; but without a permission each of them would close a channel. */
    void refused(Throwable failure) {
        avoided |=
                failure instanceof UnroutableException || (failure instanceof NackedException && ++nacks >= REFUSALS);
    }
}
