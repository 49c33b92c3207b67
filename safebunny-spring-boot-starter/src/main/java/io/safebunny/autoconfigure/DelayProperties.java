// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.transport.rabbit.DelayStrategy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are delayed.
 *
 * @param strategy What holds delayed messages back on RabbitMQ: durable queues with fixed waiting times (ladder), the
 *     delayed message exchange plugin, or whichever the broker offers (auto). The plugin keeps waiting messages on one
 *     broker only.
 */
@ConfigurationProperties("safebunny.delay")
record DelayProperties(@DefaultValue("ladder") DelayStrategy strategy) {}
