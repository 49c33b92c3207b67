// SPDX-License-Identifier: Apache-2.0
/** Freezes, resumes and kills the processes that tests start, which are servers, brokers and JVMs, and gives them ports. */
@NullMarked
package io.safebunny.test.process;

import org.jspecify.annotations.NullMarked;
