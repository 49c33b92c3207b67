// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The only code that walks causes: chains may contain cycles, and an overridden {@code getCause} may throw or never end. Pure. */
public final class Causes {

    /** Where chains are cut off: nobody needs more to diagnose a failure. */
    static final int MOST = 100;

    private Causes() {}

    /** @return the failure and its causes, outermost first, each once, 100 at most; empty for {@code null} */
    public static List<Throwable> of(@Nullable Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable next = failure;
        while (next != null && chain.size() < MOST && known.add(next)) {
            chain.add(next);
            next = causeOf(next);
        }
        return chain;
    }

    /** @return {@code null} if there is none, or {@code getCause} throws */
    static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (RuntimeException | Error e) {
            return null;
        }
    }
}
