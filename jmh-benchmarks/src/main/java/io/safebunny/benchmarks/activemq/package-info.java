// SPDX-License-Identifier: Apache-2.0
/** Many senders and several receivers chosen at random, on RabbitMQ and on ActiveMQ. */
@NullMarked
package io.safebunny.benchmarks.activemq;

import org.jspecify.annotations.NullMarked;
