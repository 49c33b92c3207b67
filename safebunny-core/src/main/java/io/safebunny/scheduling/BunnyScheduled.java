// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import org.jspecify.annotations.Nullable;

/**
 * Tells a node to store a message until it is due. Without a publication it is an alarm, which says that the scheduled message may be due;
 * the alarm's message id is the token of the alarm. The correlation id is the id of the scheduled message.
 *
 * @param publication the message in its stored form
 * @param deliverAt milliseconds since the epoch; 0 in an alarm
 */
public record BunnyScheduled(@Nullable String publication, long deliverAt) {}
