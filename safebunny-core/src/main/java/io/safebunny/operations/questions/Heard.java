// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a question to all instances. Nothing that they say is proven. Immutable.
 *
 * @param problem why they could not be asked or heard, for humans; {@code null} if they could, as far as is known
 * @param instances all that have answered, were heard within a day or should be there, without this one; in no order
 */
public record Heard<A>(@Nullable String problem, List<One<A>> instances) {

    public Heard {
        instances = List.copyOf(instances);
    }

    /**
     * One instance, or a node of which none is known.
     *
     * @param instance empty if no instance of the node was heard within a day
     * @param version of SafeBunny; empty if unknown
     * @param lastHeard by the clock of the instance that asked; {@code null} if not within a day
     * @param note why it has not answered, or what its answer may lack, for humans; {@code null} if there is nothing to say
     * @param answer {@code null} if there is none
     */
    public record One<A>(
            String node,
            String instance,
            String version,
            @Nullable Instant lastHeard,
            @Nullable String note,
            @Nullable A answer) {

        /** Whether it may have an answer a second later. */
        public boolean isBusy() {
            return answer == null && Hearing.BUSY.equals(note);
        }
    }
}
