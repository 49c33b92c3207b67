// SPDX-License-Identifier: Apache-2.0
/** Opens the page of the actuator endpoint in a real browser, on each kind of server that it may run on. */
@NullMarked
package io.safebunny.proof.watchdog;

import org.jspecify.annotations.NullMarked;
