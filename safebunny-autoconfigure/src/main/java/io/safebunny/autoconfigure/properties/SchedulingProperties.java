// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Messages that can be cancelled or moved while they wait.
 *
 * @param enabled Whether this node keeps scheduled messages, in its store. Costs one more queue. Messages that wait stay where they are
 *     while it is false.
 */
@ConfigurationProperties("safebunny.scheduling")
public record SchedulingProperties(@DefaultValue("false") boolean enabled) {}
