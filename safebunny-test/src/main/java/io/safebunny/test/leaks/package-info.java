// SPDX-License-Identifier: Apache-2.0
/** What tests leave behind: threads, and whatever else can be counted. */
@NullMarked
package io.safebunny.test.leaks;

import org.jspecify.annotations.NullMarked;
