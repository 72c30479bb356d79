// SPDX-License-Identifier: Apache-2.0

/**
 * What a notebook cell says. {@link lsmlab.lab.Lab} is the way in: servers, loads, profiles, searches and checks start there.
 *
 * <p>The packages below are layers; each names only those after it. {@code kernel} answers Jupyter. {@code grading} checks assignments.
 * {@code rows} keeps what full runs measured. {@code show} draws results as tables, charts and flame graphs. {@code reports} holds what
 * the reports say. {@code predict} asks readers what they expect. {@code profile} says where time went. {@code measure} runs loads. {@code process} starts servers. {@code notebook} is
 * what a cell declares and can show. {@code environment} is the project and this machine.
 */
package lsmlab.lab;
