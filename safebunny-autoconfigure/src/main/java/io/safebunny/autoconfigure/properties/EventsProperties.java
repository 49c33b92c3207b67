// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Events for tools outside the process.
 *
 * @param publish Whether each MessageGivenUp is also sent to the topic exchange {prefix}.events, with the routing key {node}.{type}. Needs
 *     RabbitMQ.
 */
@ConfigurationProperties("safebunny.events")
public record EventsProperties(@DefaultValue("false") boolean publish) {}
