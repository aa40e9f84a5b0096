//! Questions of one person about a deal that is over, answered beside the table.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use troel_protocol::commands::Request;
use troel_protocol::messages::RefusedView;
use troel_protocol::private_table;
use troel_protocol::{Message, Room, TableError};

use super::QUESTIONS;
use crate::Server;

/// A task that answers a person's questions, one after the other. It ends when it is dropped.
pub(super) struct Study {
    questions: mpsc::Sender<Request>,
    task: AbortHandle,
}

impl Study {
    /// Answers questions about a copy of the table, to this page.
    pub(super) fn begin(
        server: &Arc<Server>,
        client: IpAddr,
        copy: Room,
        page: mpsc::Sender<String>,
    ) -> Study {
        let (questions, asked) = mpsc::channel(QUESTIONS);
        let answers = answer(Arc::clone(server), client, copy, asked, page);
        Study { questions, task: tokio::spawn(answers).abort_handle() }
    }

    pub(super) fn is_running(&self) -> bool {
        !self.questions.is_closed()
    }

    /// Asks a question.
    ///
    /// # Errors
    /// Too many questions wait.
    pub(super) fn ask(&self, question: Request) -> Result<(), TableError> {
        let asked = self.questions.try_send(question);
        asked.map_err(|_| TableError::Failed("too many questions are waiting".into()))
    }
}

impl Drop for Study {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    server: Arc<Server>,
    client: IpAddr,
    copy: Room,
    mut questions: mpsc::Receiver<Request>,
    page: mpsc::Sender<String>,
) {
    let mut copy = Some(copy);
    while let Some(question) = questions.recv().await {
        let (provider, of) = (Arc::clone(&server), question.of.clone());
        let place = server.compute.next_place(client).await;
        let answered = place
            .run_on(copy, move |copy| private_table::execute(copy, question, provider.as_ref()));
        let (left, answer) = answered.await;
        copy = left;
        let refused = || Message::Refused(RefusedView::new(&of, &TableError::Internal));
        let message = answer.map_or_else(refused, |answer| answer.message);
        if page.send(message.to_string()).await.is_err() {
            return;
        }
    }
}
