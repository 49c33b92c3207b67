// SPDX-License-Identifier: Apache-2.0
/**
 * A real RabbitMQ broker for tests, found or started on this machine. A test that needs one gets it or fails with a message that says what
 * to do.
 */
@NullMarked
package io.safebunny.test.broker;

import org.jspecify.annotations.NullMarked;
