// SPDX-License-Identifier: Apache-2.0
/** The RabbitMQ transport of core against a real broker. */
@NullMarked
package io.safebunny.rabbit;

import org.jspecify.annotations.NullMarked;
