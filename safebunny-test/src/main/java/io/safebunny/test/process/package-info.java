// SPDX-License-Identifier: Apache-2.0
/** Signals to the processes that tests start: servers, brokers and JVMs are frozen, resumed and killed. */
@NullMarked
package io.safebunny.test.process;

import org.jspecify.annotations.NullMarked;
