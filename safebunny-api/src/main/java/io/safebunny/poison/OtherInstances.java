// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the other instances of this node say of their operations on poison messages. None of it is proven, because whoever may write to the
 * broker could say it: show it, and decide nothing by it. Immutable.
 *
 * @param asOf when they were asked, by the clock of this instance
 * @param problem why they could not be asked or heard, for humans; {@code null} if they could, as far as is known
 * @param instances by name: those that have answered, and those that have not, but gave a sign of life within three leases
 */
public record OtherInstances(Instant asOf, @Nullable String problem, List<OtherInstance> instances) {

    public OtherInstances {
        instances = List.copyOf(instances);
    }

    /**
     * One instance.
     *
     * @param instance its name
     * @param version of SafeBunny; empty if unknown
     * @param silence why nobody knows its operations: it has not answered, or its version cannot say them; {@code null} if they are known
     * @param operations the last ten that it began, latest first; empty if it has not said
     */
    public record OtherInstance(
            String instance, String version, @Nullable String silence, List<Operation> operations) {

        public OtherInstance {
            operations = List.copyOf(operations);
        }
    }

    /**
     * An operation of another instance. Its filter, its reason, who asked for it and what it did not move are told by that instance only,
     * and only there can it be cancelled.
     *
     * @param begunAt by the clock of that instance
     * @param depth as {@link PoisonOperation.Progress#depth}, like the three that follow
     * @param held copies that it has taken and neither moved nor put back: nobody else sees them, and the broker does not count them.
     *     Those of a {@link Kind#RESTORE} are of the archive
     */
    public record Operation(
            String id,
            Kind kind,
            RunState state,
            boolean dryRun,
            Instant begunAt,
            long depth,
            long scanned,
            int matched,
            int moved,
            long held) {}
}
