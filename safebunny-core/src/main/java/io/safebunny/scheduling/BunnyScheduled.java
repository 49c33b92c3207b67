// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import org.jspecify.annotations.Nullable;

/**
 * Tells a node to keep a message until its time has come; or, without one, that it may have come: then its own message id is the
 * token of the alarm. The correlation id is the id of the scheduled message.
 *
 * @param publication the message in its stored form
 * @param deliverAt milliseconds since the epoch; 0 in an alarm
 */
public record BunnyScheduled(@Nullable String publication, long deliverAt) {}
