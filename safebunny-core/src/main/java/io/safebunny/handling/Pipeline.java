// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import java.util.List;

/** An ordered list of middlewares. Immutable. */
public final class Pipeline<C> {

    private final Middleware<? super C>[] steps;

    // the array is never written again, and its elements are those of the list
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Pipeline(List<? extends Middleware<? super C>> steps) {
        this.steps = steps.toArray(new Middleware[0]);
    }

    public void run(C context) throws Exception {
        runFrom(0, context, () -> {});
    }

    /** @param last what the innermost runs */
    public void run(C context, Next last) throws Exception {
        runFrom(0, context, last);
    }

    private void runFrom(int index, C context, Next last) throws Exception {
        if (index < steps.length) {
            steps[index].invoke(context, () -> runFrom(index + 1, context, last));
        } else {
            last.run();
        }
    }
}
