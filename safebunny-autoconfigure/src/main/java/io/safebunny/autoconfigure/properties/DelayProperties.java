// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.rabbit.topology.DelayStrategy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are delayed.
 *
 * @param strategy How messages are delayed on RabbitMQ: by durable queues with fixed waiting times (ladder), by the delayed
 *     message exchange plugin, or by the plugin if the broker has it (auto). The plugin keeps waiting messages on a single broker
 *     node.
 */
@ConfigurationProperties("safebunny.delay")
public record DelayProperties(@DefaultValue("ladder") DelayStrategy strategy) {}
