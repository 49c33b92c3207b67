// SPDX-License-Identifier: Apache-2.0
/** Freezes, resumes and kills the processes that tests start: servers, brokers and JVMs. */
@NullMarked
package io.safebunny.test.process;

import org.jspecify.annotations.NullMarked;
