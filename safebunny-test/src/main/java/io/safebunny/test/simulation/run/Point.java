// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

/**
 * One moment of a run. Another run has the same point if the process has done the same until then.
 *
 * @param process node, instance and incarnation
 * @param subject the record, message or effect that is written, sent, delivered or carried out
 * @param occurrence number among equal points, from 1
 */
public record Point(String process, Place place, String subject, int occurrence) {

    @Override
    public String toString() {
        return "%s %s %s%s".formatted(process, place.verb(), subject, occurrence == 1 ? "" : " (" + occurrence + ")");
    }
}
